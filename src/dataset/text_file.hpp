#pragma once

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// What stands between spaces and tabs: the first `most` words of a line.
std::vector<std::string_view> split_words(
    std::string_view line, std::size_t most = std::numeric_limits<std::size_t>::max());

// Whether a file of that size may announce so many rows, nodes or columns without an entry in each:
// memory stays within about a thousand times the file, or 8 MB.
bool plausible_count(Index count, Index file_size);

// Walks over the lines of a file, without their ends (\n, \r\n), counting from 1, and holds no more
// of it than the longest line and a buffer. A byte order mark is skipped.
class LineReader {
 public:
  // Throws DataError where the file cannot be read or is empty.
  explicit LineReader(const std::filesystem::path& path);

  // False at the end. Throws DataError where the file ends elsewhere than at first, and for a line
  // of 256 MB or more.
  bool next();
  std::string_view line() const;                               // valid until next() is called again
  std::string_view line_with_return() const { return line_; }  // keeps the \r of \r\n
  std::size_t number() const { return number_; }
  const std::string& shown_path() const { return shown_; }
  Index file_size() const { return file_size_; }
  Index bytes_read() const { return bytes_read_; }

 private:
  void fill();

  std::ifstream in_;
  std::string shown_;
  Index file_size_ = 0;
  Index bytes_read_ = 0;   // those of the lines handed out
  Index bytes_taken_ = 0;  // those that were in the buffer
  std::string buffer_;
  std::size_t begin_ = 0;  // of what is left in the buffer
  std::size_t end_ = 0;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace stkr::detail
