#pragma once

#include <string>
#include <vector>

namespace stkr::app {

// The formats that predictions are written in.
enum class AnswerFormat { csv, tsv, npz, json_lines, h5ad };
const std::vector<std::string>& answer_format_names();  // "csv", "tsv", "npz", "jsonl", "h5ad"

// The format called `given`; if that is empty, the one of the file's extension, and CSV for other
// extensions and for standard output. Throws CLI::ValidationError for the extension of a format
// that predictions are not written in, and for binary output to a terminal.
AnswerFormat answer_format(const std::string& output, const std::string& given);

}  // namespace stkr::app
