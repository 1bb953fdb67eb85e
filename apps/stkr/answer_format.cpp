#include "answer_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli.hpp"
#include "format/atomic_file.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

constexpr std::array<std::string_view, 9> kOtherFormats{
    ".npy", ".mtx", ".svmlight", ".parquet", ".pkl", ".xlsx", ".json", ".rds", ".html"};

}  // namespace

const std::vector<std::string>& answer_format_names() {
  static const std::vector<std::string> names{"csv", "tsv", "npz", "jsonl", "h5ad"};
  return names;
}

AnswerFormat answer_format(const std::string& output, const std::string& given) {
  const std::vector<std::string>& names = answer_format_names();
  const std::string extension = std::filesystem::path(output).extension().string();
  std::string name = given;
  if (name.empty() && !is_stream(output) && extension.size() > 1) name = extension.substr(1);
  if (name == "ndjson") name = "jsonl";
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    if (std::find(kOtherFormats.begin(), kOtherFormats.end(), extension) != kOtherFormats.end()) {
      throw CLI::ValidationError(
          "--output",
          fmt::format("{}: predictions are written as .csv, .tsv, .npz, .jsonl (JSON "
                      "lines) or .h5ad (AnnData); choose one of these, or give --format",
                      output));
    }
    return AnswerFormat::csv;
  }
  const auto format = static_cast<AnswerFormat>(found - names.begin());
  if (format == AnswerFormat::h5ad && is_stream(output)) {
    throw CLI::ValidationError("--format", "h5ad is a copy of a file; write it to a file");
  }
  if (format == AnswerFormat::npz && is_terminal(output)) {
    throw CLI::ValidationError(
        "--format", "npz is binary, and standard output is a terminal; write to a file or a pipe");
  }
  return format;
}

}  // namespace stkr::app
