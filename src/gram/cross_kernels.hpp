#pragma once

#include <memory>

#include "stkr/gram/cross_kernel.hpp"

// Helpers shared by the cross kernels, and the loaders to which load_cross_kernel dispatches.
namespace stkr {

// Returns the expected alternative or throws ValueError. `expected` describes it.
const Matrix& expect_matrix(const NewSamples& samples, const char* who, const char* expected);
const CsrMatrix& expect_csr(const NewSamples& samples, const char* who, const char* expected);

// Throws ShapeError unless c has one row per known sample.
void check_coefficients(const CrossKernel& cross, ConstMatrixRef c, const char* who);

// Loads an integer in [0, 2³¹), else throws DataError.
Index load_count(CrossKernelSource& source, const char* name);
// Loads a 1 × n array of double, else throws DataError.
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
