#include "text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::size_t kReadBuffer = 1 << 18;
constexpr std::size_t kLongestLine = 1 << 28;

}  // namespace

std::vector<std::string_view> split_words(std::string_view line, std::size_t most) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  while (words.size() < most &&
         (start = line.find_first_not_of(" \t\r", start)) != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", start), line.size());
    words.push_back(line.substr(start, end - start));
    start = end;
  }
  return words;
}

bool plausible_count(Index count, Index file_size) {
  constexpr Index kAlwaysFine = 1 << 20;
  constexpr Index kMostPerByte = 128;
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  return count <= kAlwaysFine || (count <= kMost && count / kMostPerByte <= file_size);
}

LineReader::LineReader(const std::filesystem::path& path) : LineReader(path, {}) {}

LineReader::LineReader(const std::filesystem::path& path, TextRange range)
    : shown_(path.string()), in_(path), file_size_(content_size(path)), end_of_range_(range.end) {
  if (file_size_ == 0) throw DataError(fmt::format("{}: is empty", shown_));
  if (range.begin > 0) {
    if (range.begin >= std::min(range.end, file_size_)) {
      ended_ = true;
      return;
    }
    // The line with the byte before starts before the range, and is left out.
    in_.skip(range.begin - 1);
    bytes_read_ = bytes_taken_ = range.begin - 1;
    fill();
    end_of_range_ = range.begin;
    next();
    end_of_range_ = range.end;
    number_ = 0;
    shown_ += fmt::format(" from byte {}", range.begin);
    return;
  }
  fill();
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (std::string_view(buffer_).substr(0, end_).starts_with(kMark)) {
    begin_ = kMark.size();
    bytes_read_ = static_cast<Index>(kMark.size());
  }
}

// Reads more bytes after the remaining ones; enlarges the buffer if they fill it.
void LineReader::fill() {
  if (end_ - begin_ >= kLongestLine) {
    throw DataError(fmt::format("{}: line {} is longer than {} MB; is it a text file?", shown_,
                                number_ + 1, kLongestLine >> 20));
  }
  buffer_.erase(0, begin_);
  end_ -= begin_;
  begin_ = 0;
  const std::size_t whole = static_cast<std::size_t>(file_size_) + 1;  // and its end
  buffer_.resize(std::max(std::min(kReadBuffer, whole), 2 * end_));
  const std::size_t wanted = buffer_.size() - end_;
  const std::size_t found = in_.read(buffer_.data() + end_, wanted);
  ended_ = found < wanted;
  end_ += found;
  bytes_taken_ += static_cast<Index>(found);
  if (ended_ && bytes_taken_ != file_size_) {
    throw DataError(
        fmt::format("{}: changed while it was read, from {} bytes to {}; read it again when "
                    "nothing writes to it",
                    shown_, file_size_, bytes_taken_));
  }
}

bool LineReader::next() {
  if (bytes_read_ >= end_of_range_) return false;
  std::size_t searched = begin_;
  const char* line_end = nullptr;
  while (line_end == nullptr) {
    line_end =
        static_cast<const char*>(std::memchr(buffer_.data() + searched, '\n', end_ - searched));
    if (line_end != nullptr || ended_) break;
    const std::size_t held = end_ - begin_;
    fill();
    searched = held;
  }
  if (begin_ == end_) return false;
  const std::size_t stop =
      line_end == nullptr ? end_ : static_cast<std::size_t>(line_end - buffer_.data());
  line_ = std::string_view(buffer_).substr(begin_, stop - begin_);
  begin_ = line_end == nullptr ? stop : stop + 1;
  bytes_read_ += static_cast<Index>(line_.size()) + 1;
  ++number_;
  if (line_.find('\0') != std::string_view::npos) {
    throw DataError(
        fmt::format("{}: line {}: contains a zero byte, expected text; is it binary, or UTF-16? "
                    "Convert UTF-16 with iconv -f utf-16 -t utf-8",
                    shown_, number_));
  }
  return true;
}

std::string_view LineReader::line() const {
  return line_.ends_with('\r') ? line_.substr(0, line_.size() - 1) : line_;
}

}  // namespace stkr::detail
