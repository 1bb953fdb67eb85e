#include "stkr/gram/gram_operator.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/linop/restriction.hpp"

namespace stkr {

Matrix GramOperator::columns(std::span<const Index> samples) const {
  std::vector<Index> all(size());
  std::iota(all.begin(), all.end(), Index{0});
  return block(all, samples);
}

std::unique_ptr<LinearOperator> GramOperator::restricted(std::vector<Index> samples,
                                                         double scale) const {
  return std::make_unique<Restriction>(*this, std::move(samples), scale);
}

void check_block_indices(const GramOperator& gram, std::span<const Index> rows,
                         std::span<const Index> columns, const char* who) {
  for (const auto indices : {rows, columns}) {
    for (const Index index : indices) {
      if (index < 0 || index >= gram.size()) {
        throw ValueError(fmt::format("{}: there is no sample {}; samples are numbered 0 to {}", who,
                                     index, gram.size() - 1));
      }
    }
  }
}

}  // namespace stkr
