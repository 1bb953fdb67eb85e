#include "npz_seal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>
#include <vector>

#include "stkr/dataset/crc64.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::string_view kMarker = "stkr-seal crc64:";
constexpr std::uint64_t kDigits = 16;

// The checksum of the first `size` bytes as digits, or nothing when they cannot be read.
std::string checksum(std::istream& in, std::uint64_t size) {
  Crc64 crc;
  std::vector<char> buffer(1 << 18);
  while (size > 0) {
    const auto count = static_cast<std::streamsize>(std::min<std::uint64_t>(size, buffer.size()));
    if (!in.read(buffer.data(), count)) return {};
    crc.update(std::as_bytes(std::span(buffer).first(static_cast<std::size_t>(count))));
    size -= static_cast<std::uint64_t>(count);
  }
  return fmt::format("{:016x}", crc.value());
}

}  // namespace

std::string unsealed_comment() { return std::string(kMarker) + std::string(kDigits, '0'); }

void seal_file(const std::filesystem::path& file, const std::string& shown) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  const std::string digits = error ? std::string() : checksum(stream, size - kDigits);
  stream.seekp(-static_cast<std::streamoff>(kDigits), std::ios::end);
  stream << digits;
  stream.close();
  if (digits.empty() || !stream) {
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
  if (size < tail.size()) fail("is truncated, or not a file that stkr wrote");
  in.seekg(-static_cast<std::streamoff>(tail.size()), std::ios::end);
  in.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  if (!in || !tail.starts_with(kMarker)) {
    fail("does not end in stkr's checksum: it is truncated, damaged, or was not written by stkr");
  }
  in.seekg(0);
  if (checksum(in, size - kDigits) != std::string_view(tail).substr(kMarker.size())) {
    fail("its checksum does not match: the file was damaged or changed after it was written");
  }
}

}  // namespace stkr::detail
