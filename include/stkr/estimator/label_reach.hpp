#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stkr/gram/gram_operator.hpp"

namespace stkr {

// The connected components of a gram's samples, and which of them contain a label. A sample without
// edges is its own component.
struct LabelReach {
  std::vector<std::int32_t> component;  // of each sample; numbered by first sample
  std::vector<Index> size;              // of each component
  std::vector<char> labeled;            // whether it has a labeled sample

  Index components() const { return static_cast<Index>(size.size()); }
  Index components_without_label() const;
  Index samples_without_label() const;  // in these components
};

// Returns nullopt if the gram does not know its components (GramOperator::knows_components).
std::optional<LabelReach> label_reach(const GramOperator& gram, std::span<const Index> labeled);

}  // namespace stkr
