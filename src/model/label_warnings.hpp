#pragma once

#include <string>
#include <vector>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// What is doubtful about the labels of points before anything is fitted: equal points of different
// classes.
std::vector<std::string> label_warnings(const Dataset& dataset);

}  // namespace stkr
