#include "stkr/gram/gram_operator.hpp"

#include <fmt/format.h>

#include <numeric>
#include <vector>

#include "linop/restriction.hpp"
#include "stkr/error.hpp"

namespace stkr {

Matrix GramOperator::columns(std::span<const Index> samples) const {
  std::vector<Index> all(size());
  std::iota(all.begin(), all.end(), Index{0});
  return block(all, samples);
}

std::vector<char> GramOperator::reached(const std::vector<char>& from, int steps) const {
  std::vector<char> now = from;
  std::vector<char> all(local_size(), 0);
  Matrix x(local_size(), 1);
  for (int step = 1; steps == 0 || step <= steps; ++step) {
    for (Index i = 0; i < local_size(); ++i) x(i, 0) = now[i];
    const Matrix mass = product(*this, x);
    bool grew = false, complete = true;
    for (Index i = 0; i < local_size(); ++i) {
      now[i] = mass(i, 0) > 0.0;
      grew = grew || (now[i] && !all[i]);
      complete = complete && now[i];
      all[i] = all[i] || now[i];
    }
    // Each of them has a neighbor, so every further step reaches all of them again.
    if (all_over(shared_rows(), complete)) return now;
    if (steps == 0) {
      if (!any_over(shared_rows(), grew)) return all;
      now = all;
    }
  }
  return now;
}

std::optional<Vector> GramOperator::squared_row_norms(std::span<const Index>) const {
  return std::nullopt;
}

std::optional<std::vector<Index>> GramOperator::nearest(std::span<const Index>,
                                                        std::span<const Index>) const {
  return std::nullopt;
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
