#pragma once

#include "stkr/gram/graph_gram.hpp"

// K(x, x_j) = w(x, x_j)·row(D(x))·column(D_j): how a normalization scales edges, identically for
// known and new nodes.
namespace stkr {

// Throws ValueError if a weight is negative; the message names the edge.
void check_weights(const CsrMatrix& weights, const char* who);

// Throws ValueError if a degree overflows. `node` starts the message.
void check_degrees(const Vector& degree, const char* node);

// Throws ValueError if the kernel of an edge is not finite: its degrees are too small to divide by.
void check_kernel_value(double value, Index i, Index j, const char* who);

// W + I
CsrMatrix with_self_loops(const CsrMatrix& weights);

// D_i = Σ_j w_ij
Vector row_sums(const CsrMatrix& weights);

// One factor per node with the given degrees; 0 if the degree is 0, so that isolated nodes have
// zero rows instead of NaN.
Vector row_factors(GraphNormalization normalization, const Vector& degree);
Vector column_factors(const GraphDegrees& known);

// The factor common to all edges of a graph of so many nodes with this sum of degrees.
double column_scale(GraphNormalization normalization, double nodes, double total);

}  // namespace stkr
