#pragma once

#include <Eigen/Core>

// Eigen's products of double matrices and vectors are compiled once, in the library. Without these
// declarations every source with a product compiles them again: about three seconds each. All
// targets of this repository have them in their precompiled header; sources need not include this.
namespace Eigen::internal {

using GebpOfDouble = gebp_traits<double, double>;

// The inner kernel of a matrix product, and how it packs blocks of its factors.
extern template struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor>,
                                   GebpOfDouble::mr, GebpOfDouble::nr, false, false>;
extern template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                                     GebpOfDouble::mr, GebpOfDouble::LhsProgress,
                                     GebpOfDouble::LhsPacket4Packing, ColMajor>;
extern template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                                     GebpOfDouble::mr, GebpOfDouble::LhsProgress,
                                     GebpOfDouble::LhsPacket4Packing, RowMajor>;
extern template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                                     GebpOfDouble::nr, ColMajor>;
extern template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                                     GebpOfDouble::nr, RowMajor>;

// The product of two matrices of any storage order. Eigen makes all of them from these.
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                     ColMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, ColMajor, false, double,
                                                     RowMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double,
                                                     ColMajor, false, ColMajor, 1>;
extern template struct general_matrix_matrix_product<Index, double, RowMajor, false, double,
                                                     RowMajor, false, ColMajor, 1>;

// A matrix times a vector.
extern template struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false, double,
    const_blas_data_mapper<double, Index, RowMajor>, false>;
extern template struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false, double,
    const_blas_data_mapper<double, Index, ColMajor>, false>;

}  // namespace Eigen::internal
