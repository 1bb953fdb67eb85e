#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "stkr/gram/graph_gram.hpp"

namespace stkr {

// The names of kernels that are not functions of two points; kernel/kernel.cpp has the names of
// those. Files have underscores instead of dashes.
constexpr std::array<std::pair<GraphNormalization, std::string_view>, 4> kGraphKernelNames{{
    {GraphNormalization::lazy_walk, "lazy-walk"},
    {GraphNormalization::symmetric, "symmetric"},
    {GraphNormalization::probability, "probability"},
    {GraphNormalization::adjacency, "adjacency"},
}};
constexpr std::string_view kNeighborGraphName = "knn";
constexpr std::string_view kPrecomputedName = "precomputed";

}  // namespace stkr
