#pragma once

#include <fmt/format.h>

#include <string>

#include "stkr/error.hpp"

namespace stkr {

// Throws DataError "WHERE: WHAT".
[[noreturn]] inline void fail_to_read(const std::string& where, const std::string& what) {
  throw DataError(fmt::format("{}: {}", where, what));
}

}  // namespace stkr
