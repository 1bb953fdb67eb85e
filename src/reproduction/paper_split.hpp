#pragma once

#include <cstdint>

#include "reproduction/paper_results.hpp"
#include "stkr/dataset/splits.hpp"

namespace stkr {

// A random split with the paper's sizes: train and val as in `dataset`, ⌊p_test·nodes⌋ test
// samples, and the remaining samples as other. (The paper's means are whole numbers of correct
// predictions only if this number is rounded down.) The four sets are consecutive parts of one
// permutation in this order, so for one seed train and val do not depend on p_test, and the test
// set of a smaller p_test is part of that of a larger one. Each set is ascending. The split is the
// same on every platform. It is not the paper's own split, which is not published.
//
// `nodes` may differ from the paper's count. Throws ValueError if the sets do not fit.
FourWaySplit paper_split(const PaperDataset& dataset, Index nodes, double p_test,
                         std::uint64_t seed);

}  // namespace stkr
