#pragma once

#include <stdexcept>
#include <string>

namespace stkr {

// Everything stkr throws on purpose derives from Error, so that one handler catches it. The message
// says what was given, what was expected, and what to try. Failing to converge is a result, not an
// error: see SolveSummary.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two sizes that must agree do not.
class ShapeError : public Error {
 public:
  using Error::Error;
};

// A parameter or a value in the data lies outside its domain (NaN, β ≤ 0, η ≥ 1/λ₁, ...).
class ValueError : public Error {
 public:
  using Error::Error;
};

// A file cannot be read: missing, truncated, foreign, corrupted, of another version.
class DataError : public Error {
 public:
  using Error::Error;
};

// A file cannot be written. What was there before is intact.
class WriteError : public Error {
 public:
  using Error::Error;
};

// No way of doing what was asked fits in the memory allowed. Thrown before anything is allocated.
class MemoryError : public Error {
 public:
  using Error::Error;
};

// The caller asked, through a std::stop_token, to stop.
class Cancelled : public Error {
 public:
  using Error::Error;
};

}  // namespace stkr
