#pragma once

#include <memory>

#include "stkr/gram/cross_kernel.hpp"

// What the kinds of cross kernel share, and how each is rebuilt: load_cross_kernel dispatches here.
namespace stkr {

// The alternative a kind understands, else ValueError. `expected` describes it.
const Matrix& expect_matrix(const NewSamples& samples, const char* who, const char* expected);
const CsrMatrix& expect_csr(const NewSamples& samples, const char* who, const char* expected);

// Throws ShapeError unless c has one row per known sample.
void check_coefficients(const CrossKernel& cross, ConstMatrixRef c, const char* who);

// A number that is a whole one in [0, 2³¹), else DataError.
Index load_count(CrossKernelSource& source, const char* name);
// A 1 × n array of double, else DataError.
Vector load_vector(CrossKernelSource& source, const char* name);
void save_vector(CrossKernelSink& sink, const char* name, const Vector& values);

std::unique_ptr<CrossKernel> load_point_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_graph_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_dense_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_centered_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_normalized_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_weighted_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_sum_cross_kernel(CrossKernelSource& source);
std::unique_ptr<CrossKernel> load_neighbor_cross_kernel(CrossKernelSource& source);

}  // namespace stkr
