// The solvers, polynomials and eigenpairs on PETSc blocks that the tests call directly. The library
// itself uses those of DeviceOperatorOf.
#include "petsc_block.hpp"
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

using petsc::ConstView;
using petsc::PetscBlock;
using petsc::View;
using PetscOperator = BasicLinearOperator<PetscBlock>;
using PetscResult = BasicSolveResult<PetscBlock>;

template PetscResult solve_cg(const PetscOperator&, petsc::ConstView,
                              const BasicCgOptions<PetscBlock>&, const Context&);
template PetscResult solve_minres(const PetscOperator&, petsc::ConstView,
                                  const BasicSolverOptions<PetscBlock>&, const Context&);
template PetscResult solve_richardson(const PetscOperator&, petsc::ConstView,
                                      const BasicRichardsonOptions<PetscBlock>&, const Context&);
template SpectrumEstimate estimate_spectrum(const PetscOperator&, const SpectrumOptions&,
                                            const Context&);
template BasicEigenpairs<PetscBlock> top_eigenpairs(const PetscOperator&, Index,
                                                    const EigenpairOptions&, const Context&);
template BasicOrthonormalBasis<PetscBlock> orthonormal_basis(const PetscBlock&, double,
                                                             const std::vector<petsc::ConstView>&,
                                                             int);
template class BasicNystromPreconditioner<PetscBlock>;
template class BasicResolventSpace<PetscBlock>;
template void apply_chebyshev(const PetscOperator&, const ChebyshevSeries&, petsc::ConstView,
                              petsc::View, int);
template void apply_polynomial(const PetscOperator&, const std::vector<double>&, petsc::ConstView,
                               petsc::View, PetscBlock*, int);

}  // namespace stkr
