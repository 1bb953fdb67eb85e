#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stkr::detail {

// What a file of finished results starts with, whatever its version.
inline constexpr std::string_view kAnyCheckpoint = R"({"stkr_cell":)";

// A longer line, or a value with more brackets inside each other, is nothing that stkr wrote.
inline constexpr std::size_t kMostLineBytes = std::size_t{1} << 26;
inline constexpr int kMostDepth = 64;

struct CheckpointCell {
  std::string run;
  std::string key;
  std::string value;  // JSON
};

// Without blanks and line breaks. ValueError for what is not JSON.
std::string compact_json(std::string_view text);

// One line without its end, of a value that is compact.
std::string checkpoint_line(const CheckpointCell& cell);

// Nothing where the line is not one of these, and then `problem` says why. Never recursive, so that
// no content can exhaust the stack.
std::optional<CheckpointCell> parse_checkpoint_line(std::string_view line, std::string& problem);

// JSON holds UTF-8 only, but a path, say, may be part of a key: the text as it comes back.
std::string as_utf8(std::string_view text);

}  // namespace stkr::detail
