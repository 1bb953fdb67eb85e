#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace stkr::app {

// The path that reads an input: "/dev/stdin" for "-", after copying standard input to an unnamed
// temporary file unless it is a file already, because readers need its size; other paths as they
// are. Call it once per command.
std::string input_path(const std::string& path);

// The path that writes an output: "/dev/stdout" for "-", other paths as they are.
std::string output_path(const std::string& path);

// --format for a command whose only input or output without an extension is INPUT.
CLI::Option* add_input_format(CLI::App& command, std::string& format);

// --format for an output, and for "-" as the input unless --input-format says otherwise.
struct FormatOptions {
  std::string output;
  std::string input;
};
void add_format_options(CLI::App& command, FormatOptions& options, const std::string& outputs);

// The format of an input: --input-format, or --format if the input is standard input.
std::string input_format(const FormatOptions& options, const std::string& input);

}  // namespace stkr::app
