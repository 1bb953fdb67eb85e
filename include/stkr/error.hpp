#pragma once

#include <stdexcept>
#include <string>

namespace stkr {

// Base class of all exceptions that stkr throws on purpose. The message says what was found, what
// was expected, and what to do. Failure to converge is a result, not an error: see SolveSummary.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two sizes that must agree do not agree.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A parameter or a data value lies outside its domain (NaN, β ≤ 0, η ≥ 1/λ₁, ...). Parameters throw
// the derived ParameterError.
class ValueError : public Error {
 public:
  using Error::Error;
};

// A parameter lies outside its domain, or does not apply: the request is wrong, not the data.
class ParameterError : public ValueError {
 public:
  using ValueError::ValueError;
};

// A file cannot be read: it is missing, truncated, corrupted, in another format or of another
// version.
class DataError : public Error {
 public:
  using Error::Error;
};

// A file cannot be written. Its previous contents are intact.
class WriteError : public Error {
 public:
  using Error::Error;
};

// No method fits into the memory budget. Thrown before anything is allocated.
class MemoryError : public Error {
 public:
  using Error::Error;
};

// The caller requested cancellation through a std::stop_token.
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace stkr
