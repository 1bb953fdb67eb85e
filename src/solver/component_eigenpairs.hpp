#pragma once

#include "linop/csr_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// top_eigenpairs for a sparse matrix that may have several components, with each eigenvector
// supported on one of them. Hundreds of components may share an eigenvalue exactly (λ = 1 of a
// graph), and an iteration on the whole matrix mixes their eigenvectors, so that a node gets values
// that belong to another component. Small components are solved by LAPACK one by one; the large
// ones are iterated together.
Eigenpairs component_eigenpairs(const CsrOperator& op, Index count,
                                const EigenpairOptions& options = {}, const Context& context = {});

}  // namespace stkr
