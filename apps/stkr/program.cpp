#include "program.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <new>

#include "cli.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "stkr/error.hpp"
#include "usage_error.hpp"

namespace stkr::app {

Failure failure_of(const CLI::App& app, const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const Cancelled&) {
    return {kInterruptedMessage, kInterrupted};
  } catch (const CLI::ParseError& problem) {
    return {usage_message(app, problem.what()), kUsage};
  } catch (const ParameterError& problem) {
    return {usage_message(app, problem.what()), kUsage};
  } catch (const DataError& problem) {
    // A read interrupted by a signal looks like an unreadable file.
    if (interrupt_token().stop_requested()) return {kInterruptedMessage, kInterrupted};
    return {problem.what(), kBadData};
  } catch (const MemoryError& problem) {
    return {problem.what(), kOutOfMemory};
  } catch (const WriteError& problem) {
    return {problem.what(), kFailed};
  } catch (const Error& problem) {
    return {problem.what(), kBadData};
  } catch (const std::bad_alloc&) {
    return {"out of memory; set --memory to a size that is free, so that the run is planned to fit",
            kOutOfMemory};
  } catch (const std::exception& problem) {
    // fmt fails if printed output does not fit into the buffer.
    if (std::ferror(stdout) != 0) return {kNoOutput, kFailed};
    return {fmt::format("unexpected error: {}", problem.what()), kFailed};
  }
}

}  // namespace stkr::app
