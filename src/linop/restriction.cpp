#include "linop/restriction.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {

template class BasicRestriction<Matrix>;

namespace detail {

void check_samples(const std::vector<Index>& samples, Index size, const char* who) {
  for (const Index i : samples) {
    if (i < 0 || i >= size) {
      throw ValueError(
          fmt::format("{}: sample {} is out of range; expected 0 to {}", who, i, size - 1));
    }
  }
}

}  // namespace detail
}  // namespace stkr
