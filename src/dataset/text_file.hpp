#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/linop/matrix.hpp"

namespace stkr::detail {

// The whole file. Throws DataError where it cannot be read or is empty.
std::string read_text_file(const std::filesystem::path& path);

// What stands between spaces and tabs.
std::vector<std::string_view> split_words(std::string_view line);

// Whether a file of that size may announce so many rows, nodes or columns without an entry in each:
// memory stays within about a thousand times the file, or 8 MB.
bool plausible_count(Index count, Index file_size);

// Walks over the lines of a text, without their ends (\n, \r\n), counting from 1. A byte order mark
// is skipped.
class LineReader {
 public:
  explicit LineReader(std::string_view text);

  bool next();  // false at the end
  std::string_view line() const { return line_; }
  std::size_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace stkr::detail
