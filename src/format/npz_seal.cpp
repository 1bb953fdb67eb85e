#include "npz_seal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <span>
#include <string_view>
#include <vector>

#include "format/crc64.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::string_view kMarker = "stkr-seal crc64:";
constexpr std::uint64_t kDigits = 16;

// The checksum of the first `size` bytes as digits. read(part) fills its argument with the next
// bytes; the result is empty if it returns false.
template <class Read>
std::string checksum(std::uint64_t size, Read&& read) {
  Crc64 crc;
  std::vector<char> buffer(std::min<std::uint64_t>(size, std::uint64_t{1} << 24));
  while (size > 0) {
    const std::span part = std::span(buffer).first(std::min<std::uint64_t>(size, buffer.size()));
    if (!read(part)) return {};
    crc.update(std::as_bytes(part));
    size -= part.size();
  }
  return fmt::format("{:016x}", crc.value());
}

}  // namespace

std::string unsealed_comment() { return std::string(kMarker) + std::string(kDigits, '0'); }

void seal_file(int descriptor, const std::string& shown) {
  const off_t end = ::lseek(descriptor, 0, SEEK_END) - static_cast<off_t>(kDigits);
  off_t at = 0;
  const std::string digits =
      end < 0 ? "" : checksum(static_cast<std::uint64_t>(end), [&](std::span<char> part) {
        for (; !part.empty();) {
          const ssize_t count = ::pread(descriptor, part.data(), part.size(), at);
          if (count < 0 && errno == EINTR) continue;
          if (count <= 0) return false;
          part = part.subspan(static_cast<std::size_t>(count));
          at += count;
        }
        return true;
      });
  if (digits.empty() ||
      ::pwrite(descriptor, digits.data(), kDigits, end) != static_cast<ssize_t>(kDigits)) {
    throw WriteError(fmt::format("{}: cannot write the checksum", shown));
  }
}

void check_seal(const std::filesystem::path& file) {
  const auto fail = [&](std::string_view what) {
    throw DataError(fmt::format("{}: {}", file.string(), what));
  };
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  std::ifstream in(file, std::ios::binary);
  if (error || !in) fail("cannot be opened; check the path and the permissions");
  std::string tail(kMarker.size() + kDigits, '\0');
  if (size < tail.size()) fail("is truncated, or was not written by stkr");
  in.seekg(-static_cast<std::streamoff>(tail.size()), std::ios::end);
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (!in || !tail.starts_with(kMarker)) {
    fail("does not end with stkr's checksum: it is truncated, damaged, or was not written by stkr");
  }
  in.seekg(0);
  const std::string digits = checksum(size - kDigits, [&](std::span<char> part) {
    return static_cast<bool>(in.read(part.data(), static_cast<std::streamsize>(part.size())));
  });
  if (digits != std::string_view(tail).substr(kMarker.size())) {
    fail("the checksum does not match: the file was damaged or changed after it was written");
  }
}

}  // namespace stkr::detail
