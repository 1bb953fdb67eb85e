#include "text_file.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <fstream>

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
