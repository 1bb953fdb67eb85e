#include "standard_input.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli.hpp"
#include "command.hpp"
#include "format/atomic_file.hpp"
#include "format/file_format.hpp"
#include "format/temporary_file.hpp"
#include "interrupt.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

constexpr const char* kInput = "/dev/stdin";

// Whether standard input is a file that has not been read yet.
bool is_unread_file() {
  struct stat found = {};
  return ::fstat(STDIN_FILENO, &found) == 0 && S_ISREG(found.st_mode) &&
         ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

void copy_standard_input(int to) {
  const EndsAtOnce on_interrupt;
  FileSink sink(to, "a temporary file");
  std::string buffer(1 << 16, '\0');
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw DataError(fmt::format("{}: cannot be read: {}", kInput, std::strerror(errno)));
    }
    if (count == 0) break;
    sink.write(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
  }
  sink.close();
}

CLI::Validator data_format() {
  return CLI::Validator(
      [](std::string& text) {
        try {
          format_from_name(text);
          return std::string();
        } catch (const ParameterError& error) {
          return std::string(error.what());
        }
      },
      "");
}

}  // namespace

std::string input_path(const std::string& path) {
  if (path != "-" && path != kInput) return path;
  if (is_unread_file()) return kInput;
  const detail::ScratchFile file;
  copy_standard_input(file.descriptor());
  // /dev/stdin now opens the copy, from its start.
  if (::dup2(file.descriptor(), STDIN_FILENO) < 0) {
    throw DataError(fmt::format("{}: cannot be replaced: {}", kInput, std::strerror(errno)));
  }
  return kInput;
}

std::string output_path(const std::string& path) { return path == "-" ? "/dev/stdout" : path; }

CLI::Option* add_input_format(CLI::App& command, std::string& format) {
  return command
      .add_option("--format,--input-format", format,
                  "Format of INPUT if it is standard input (-) or its extension does not say: csv, "
                  "tsv, npz, npy, mtx, svmlight, ...")
      ->check(data_format())
      ->option_text("NAME")
      ->group("Data");
}

void add_format_options(CLI::App& command, FormatOptions& options, const std::string& outputs) {
  command
      .add_option("--format", options.output,
                  fmt::format("Format of the output if its extension does not say: {}; also of "
                              "standard input, unless --input-format is given",
                              outputs))
      ->option_text("NAME");
  command
      .add_option("--input-format", options.input,
                  "Format of the input if it is standard input (-) or its extension does not say")
      ->check(data_format())
      ->option_text("NAME");
}

std::string input_format(const FormatOptions& options, const std::string& input) {
  if (!options.input.empty() || input != kInput || options.output.empty()) return options.input;
  try {
    format_from_name(options.output);
    return options.output;
  } catch (const ParameterError&) {
    throw CLI::ValidationError("--format",
                               fmt::format("standard input cannot be {}; give its format with "
                                           "--input-format",
                                           options.output));
  }
}

}  // namespace stkr::app
