#pragma once

#include "stkr/dataset/dataset.hpp"
#include "stkr/dataset/four_way_split.hpp"
#include "stkr/selection/setting.hpp"

namespace stkr {

// The graph without the edges of those connected components, of what is seen at training time, that
// hold no training sample. Nodes and degrees elsewhere stay as they are, so with the symmetric
// normalization kernel PCA's d largest eigenvalues of this graph are the d largest of the part that
// labels reach: nodes without edges have the eigenvalue 0 and come last. No other answer changes.
Dataset reached_graph(const Dataset& dataset, const FourWaySplit& split, Setting setting);

}  // namespace stkr
