#include "linop/eigen_products.hpp"

namespace Eigen::internal {

template struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor>,
                            GebpOfDouble::mr, GebpOfDouble::nr, false, false>;
template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                              GebpOfDouble::mr, GebpOfDouble::LhsProgress,
                              GebpOfDouble::LhsPacket4Packing, ColMajor>;
template struct gemm_pack_lhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                              GebpOfDouble::mr, GebpOfDouble::LhsProgress,
                              GebpOfDouble::LhsPacket4Packing, RowMajor>;
template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, ColMajor>,
                              GebpOfDouble::nr, ColMajor>;
template struct gemm_pack_rhs<double, Index, const_blas_data_mapper<double, Index, RowMajor>,
                              GebpOfDouble::nr, RowMajor>;

template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor,
                                              false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor,
                                              false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor,
                                              false, ColMajor, 1>;
template struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor,
                                              false, ColMajor, 1>;

template struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, ColMajor>, ColMajor, false, double,
    const_blas_data_mapper<double, Index, RowMajor>, false>;
template struct general_matrix_vector_product<
    Index, double, const_blas_data_mapper<double, Index, RowMajor>, RowMajor, false, double,
    const_blas_data_mapper<double, Index, ColMajor>, false>;

}  // namespace Eigen::internal
