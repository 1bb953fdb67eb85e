#pragma once

#include <memory>
#include <string_view>

#include "stkr/gram/cross_kernel.hpp"
#include "stkr/linop/feature_matrix.hpp"

// Helpers shared by the cross kernels, and the loaders to which load_cross_kernel dispatches.
namespace stkr {

// Returns the expected alternative or throws ValueError. `expected` describes it.
const Matrix& expect_matrix(const NewSamples& samples, const char* who, const char* expected);
const CsrMatrix& expect_csr(const NewSamples& samples, const char* who, const char* expected);

// The points of new samples, dense or sparse: a view of them.
FeatureMatrix expect_points(const NewSamples& samples, const char* who);

// Throws ShapeError unless c has one row per known sample.
void check_coefficients(const CrossKernel& cross, ConstMatrixRef c, const char* who);

// Loads an integer in [0, 2³¹), else throws DataError.
Index load_count(CrossKernelSource& source, const char* name);
// Loads a 1 × n array of double, else throws DataError.
Vector load_vector(CrossKernelSource& source, const char* name);
void save_vector(CrossKernelSink& sink, const char* name, const Vector& values);
// The same for a sparse matrix. `counts`: entries per row, kept by the caller until the sink is
// written.
std::vector<std::int32_t> row_counts(const CsrMatrix& matrix);
void save_csr(CrossKernelSink& sink, const std::string& name, const CsrMatrix& matrix,
              const std::vector<std::int32_t>& counts);
CsrMatrix load_csr(CrossKernelSource& source, const std::string& name);

// Writes a kernel of points, without the points.
void save_kernel(CrossKernelSink& sink, const Kernel& kernel, bool sparse);

// Loads what sink.part(name, ...) saved.
std::unique_ptr<CrossKernel> load_part(CrossKernelSource& source,
                                       const CrossKernelRegistry& registry, std::string_view name);

using LibraryLoader = std::unique_ptr<CrossKernel>(CrossKernelSource&, const CrossKernelRegistry&);
LibraryLoader load_point_cross_kernel;
LibraryLoader load_custom_point_cross_kernel;
LibraryLoader load_graph_cross_kernel;
LibraryLoader load_dense_cross_kernel;
LibraryLoader load_centered_cross_kernel;
LibraryLoader load_normalized_cross_kernel;
LibraryLoader load_weighted_cross_kernel;
LibraryLoader load_sum_cross_kernel;
LibraryLoader load_neighbor_cross_kernel;
LibraryLoader load_projected_neighbor_cross_kernel;
LibraryLoader load_smoothed_cross_kernel;
LibraryLoader load_smoothed_point_cross_kernel;

}  // namespace stkr
