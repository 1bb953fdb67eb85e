#include "selection/saved_scores.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "linop/saved_state.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr Index kNumbers = 9;  // of a point, besides its two blocks

}  // namespace

std::vector<Matrix> blocks_of(const ScoredGram& scored) {
  const auto count = static_cast<Index>(scored.points.size());
  Matrix numbers(count, kNumbers);
  std::vector<Matrix> blocks{Matrix::Constant(1, 1, scored.largest_eigenvalue),
                             text_block(fmt::format("{}", fmt::join(scored.warnings, "\n"))),
                             {}};
  for (Index k = 0; k < count; ++k) {
    const ScoredPoint& one = scored.points[static_cast<std::size_t>(k)];
    numbers.row(k) << static_cast<double>(one.point.family), one.point.parameter, one.point.beta,
        one.point.iterations, one.point.class_mass, static_cast<double>(one.point.kernel),
        one.point.ridge, one.score, one.scale;
    blocks.push_back(one.alpha);
    blocks.push_back(one.left_out);
  }
  blocks[2] = std::move(numbers);
  return blocks;
}

ScoredGram scored_gram_of(std::vector<Matrix> blocks, const std::string& name) {
  const bool fits = blocks.size() > 3 && blocks[0].size() == 1 && blocks[2].cols() == kNumbers &&
                    static_cast<Index>(blocks.size()) == 3 + 2 * blocks[2].rows();
  if (!fits) throw DataError(fmt::format("the saved state of {} cannot be read", name));
  ScoredGram scored;
  scored.largest_eigenvalue = blocks[0](0, 0);
  std::string warnings = block_text(blocks[1]);
  while (!warnings.empty()) {
    const std::size_t end = warnings.find('\n');
    scored.warnings.push_back(warnings.substr(0, end));
    warnings.erase(0, end == std::string::npos ? end : end + 1);
  }
  for (Index k = 0; k < blocks[2].rows(); ++k) {
    const auto numbers = blocks[2].row(k);
    ScoredPoint one;
    one.point.family = static_cast<Family>(numbers[0]);
    one.point.parameter = numbers[1];
    one.point.beta = numbers[2];
    one.point.iterations = static_cast<int>(numbers[3]);
    one.point.class_mass = numbers[4] != 0.0;
    one.point.kernel = static_cast<std::size_t>(numbers[5]);
    one.point.ridge = numbers[6];
    one.score = numbers[7];
    one.scale = numbers[8];
    one.alpha = std::move(blocks[static_cast<std::size_t>(3 + 2 * k)]);
    one.left_out = std::move(blocks[static_cast<std::size_t>(4 + 2 * k)]);
    scored.points.push_back(std::move(one));
  }
  return scored;
}

}  // namespace stkr
