#include "text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>

#include "stkr/error.hpp"

namespace stkr::detail {

std::string read_text_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in) {
    throw DataError(
        fmt::format("{}: cannot be opened; check the path and the permissions", path.string()));
  }
  if (size == 0) throw DataError(fmt::format("{}: is empty", path.string()));
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) throw DataError(fmt::format("{}: cannot be read to its end", path.string()));
  return text;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t start = 0;
  while ((start = line.find_first_not_of(" \t\r", start)) != std::string_view::npos) {
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

LineReader::LineReader(std::string_view text) : rest_(text) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

bool LineReader::next() {
  if (rest_.empty()) return false;
  const std::size_t end = rest_.find('\n');
  line_ = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line_.ends_with('\r')) line_.remove_suffix(1);
  ++number_;
  return true;
}

}  // namespace stkr::detail
