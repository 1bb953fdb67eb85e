#pragma once

#include "halo_matrix.hpp"

namespace stkr::petsc {

// √D on each connected component: the eigenvectors of the normalized graph for λ = 1, as rows of
// this process (KnownEigenspace::of_shared_rows). `degree` has its degrees. A node without nonzero
// entries belongs to none. Called by all processes.
KnownEigenspace root_degrees(const HaloMatrix& graph, const Vector& degree);

}  // namespace stkr::petsc
