#pragma once

#include "stkr/linop/csr_operator.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {

// top_eigenpairs for a sparse matrix that may fall into components, each eigenvector within one of
// them. Hundreds of components share an eigenvalue exactly (λ = 1 of a graph), and an iteration on
// the whole matrix mixes their eigenvectors, which says of a node what belongs to another
// component. Small components are given to LAPACK one by one; the large ones are iterated together.
Eigenpairs component_eigenpairs(const CsrOperator& op, Index count,
                                const EigenpairOptions& options = {});

}  // namespace stkr
