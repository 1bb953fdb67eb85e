#pragma once

#include "stkr/gram/graph_gram.hpp"

// K(x, x_j) = w(x, x_j)·row(D(x))·column(D_j): how a normalization scales edges, the same for known
// and new nodes.
namespace stkr {

// Throws ValueError where a weight is negative, naming the edge.
void check_weights(const CsrMatrix& weights, const char* who);

// Throws ValueError where a degree is not finite: weights that add up to infinity. `node` starts
// the message.
void check_degrees(const Vector& degree, const char* node);

// Throws ValueError where the kernel of an edge is not finite: weights too small to be divided by.
void check_kernel_value(double value, Index i, Index j, const char* who);

// D_i = Σ_j w_ij
Vector row_sums(const CsrMatrix& weights);

// One factor per node with the given degrees; 0 where the degree is 0, so that isolated nodes have
// zero rows instead of NaN.
Vector row_factors(GraphNormalization normalization, const Vector& degree);
Vector column_factors(const GraphDegrees& known);

}  // namespace stkr
