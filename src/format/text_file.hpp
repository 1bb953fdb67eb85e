#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "byte_source.hpp"
#include "stkr/matrix.hpp"

namespace stkr::detail {

// The first `most` words of a line, separated by spaces and tabs.
std::vector<std::string_view> split_words(
    std::string_view line, std::size_t most = std::numeric_limits<std::size_t>::max());

// Returns whether a file of that size may declare so many rows, nodes or columns without an entry
// for each: memory stays below about a thousand times the file size, or 8 MB.
bool plausible_count(Index count, Index file_size);

// A part of a file, in bytes of its text.
struct TextRange {
  Index begin = 0;
  Index end = std::numeric_limits<Index>::max();
};

// Reads the lines of a file, which may be compressed by gzip, without their ends (\n, \r\n),
// numbered from 1. Memory: the longest line and a buffer. Skips a byte order mark.
class LineReader {
 public:
  // Throws DataError if the file cannot be read or is empty.
  explicit LineReader(const std::filesystem::path& path);
  // Only the lines that start in this range; they are numbered from its start, and messages say so.
  LineReader(const std::filesystem::path& path, TextRange range);

  // Returns false at the end. Throws DataError if the size of the file has changed, for a line of
  // 256 MB or more, and for a zero byte: that is no text, wherever it stands in the file.
  bool next();
  std::string_view line() const;                               // valid until next() is called again
  std::string_view line_with_return() const { return line_; }  // keeps the \r of \r\n
  std::size_t number() const { return number_; }
  const std::string& shown_path() const { return shown_; }
  Index file_size() const { return file_size_; }  // of the text, if it is compressed
  Index bytes_read() const { return bytes_read_; }

 private:
  void fill();

  std::string shown_;
  ByteSource in_;
  bool ended_ = false;
  Index file_size_ = 0;
  Index bytes_read_ = 0;   // of the file, up to the next line
  Index bytes_taken_ = 0;  // read into the buffer so far
  Index end_of_range_ = std::numeric_limits<Index>::max();
  std::string buffer_;
  std::size_t begin_ = 0;  // of the remaining bytes in the buffer
  std::size_t end_ = 0;
  std::string_view line_;
  std::size_t number_ = 0;
};

}  // namespace stkr::detail
