#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stkr::detail {

// The start of a checkpoint file of any version.
inline constexpr std::string_view kAnyCheckpoint = R"({"stkr_cell":)";

// stkr writes no longer lines and no values with more nested brackets.
inline constexpr std::size_t kMostLineBytes = std::size_t{1} << 26;
inline constexpr int kMostDepth = 64;

struct CheckpointCell {
  std::string run;
  std::string key;
  std::string value;  // JSON
};

// Returns the JSON text without blanks and line breaks. Throws ValueError if it is not JSON.
std::string compact_json(std::string_view text);

// Returns one line without its line break. The value must be compact.
std::string checkpoint_line(const CheckpointCell& cell);

// Returns nullopt, with the reason in `problem`, if the line is not a checkpoint line. Not
// recursive, so that no content can exhaust the stack.
std::optional<CheckpointCell> parse_checkpoint_line(std::string_view line, std::string& problem);

// The text as it reads back from JSON, which contains UTF-8 only; a key may include a path, say.
std::string as_utf8(std::string_view text);

}  // namespace stkr::detail
