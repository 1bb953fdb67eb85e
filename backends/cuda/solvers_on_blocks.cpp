// The solvers, polynomials and eigenpairs on CUDA blocks that the tests call directly. The library
// itself uses those of backend.cpp.
#include "cuda_block.hpp"
#include "solver/cg_template.hpp"
#include "solver/eigenpairs_template.hpp"
#include "solver/minres_template.hpp"
#include "solver/nystrom_preconditioner_template.hpp"
#include "solver/orthonormal_basis_template.hpp"
#include "solver/resolvent_space_template.hpp"
#include "solver/richardson_template.hpp"
#include "solver/spectrum_template.hpp"
#include "transform/chebyshev_template.hpp"
#include "transform/operator_polynomial_template.hpp"

namespace stkr {

using cuda::ConstCudaView;
using cuda::CudaBlock;
using cuda::CudaView;
using CudaOperator = BasicLinearOperator<CudaBlock>;
using CudaResult = BasicSolveResult<CudaBlock>;

template CudaResult solve_cg(const CudaOperator&, ConstCudaView, const BasicCgOptions<CudaBlock>&,
                             const Context&);
template CudaResult solve_minres(const CudaOperator&, ConstCudaView,
                                 const BasicSolverOptions<CudaBlock>&, const Context&);
template CudaResult solve_richardson(const CudaOperator&, ConstCudaView,
                                     const BasicRichardsonOptions<CudaBlock>&, const Context&);
template SpectrumEstimate estimate_spectrum(const CudaOperator&, const SpectrumOptions&,
                                            const Context&);
template BasicEigenpairs<CudaBlock> top_eigenpairs(const CudaOperator&, Index,
                                                   const EigenpairOptions&, const Context&);
template BasicOrthonormalBasis<CudaBlock> orthonormal_basis(const CudaBlock&, double,
                                                            const std::vector<ConstCudaView>&, int);
template class BasicNystromPreconditioner<CudaBlock>;
template class BasicResolventSpace<CudaBlock>;
template void apply_chebyshev(const CudaOperator&, const ChebyshevSeries&, ConstCudaView, CudaView,
                              int);
template void apply_polynomial(const CudaOperator&, const std::vector<double>&, ConstCudaView,
                               CudaView, CudaBlock*, int);

}  // namespace stkr
