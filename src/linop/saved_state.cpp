#include "linop/saved_state.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "stkr/error.hpp"

namespace stkr {

std::string SavedState::next_name(std::string_view kind) {
  const auto at = names_.try_emplace(std::string(kind), 0).first;
  return fmt::format("{} {}", kind, ++at->second);
}

Matrix text_block(std::string_view text) {
  Matrix block(1, static_cast<Index>(text.size()));
  std::transform(text.begin(), text.end(), block.data(),
                 [](char c) { return static_cast<double>(static_cast<unsigned char>(c)); });
  return block;
}

std::string block_text(const Matrix& block) {
  std::string text;
  for (Index i = 0; i < block.size(); ++i) {
    const double value = block.data()[i];
    if (!(value >= 0 && value <= 255)) throw ValueError("the saved block is not text");
    text.push_back(static_cast<char>(static_cast<unsigned char>(value)));
  }
  return text;
}

}  // namespace stkr
