#pragma once

#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// What is doubtful about the labels of points before anything is fitted: equal points of different
// classes.
std::vector<std::string> label_warnings(const Dataset& dataset);
// The same for some points; `numbers` are those of the samples, empty: 0, 1, 2, ...
std::vector<std::string> label_warnings(const FeatureMatrix& points, const ClassLabels& classes,
                                        std::span<const Index> numbers);

}  // namespace stkr
