#include "zip_archive.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "format/crc64.hpp"

namespace stkr::fuzz {
namespace {

constexpr std::string_view kSeal = "stkr-seal crc64:";
constexpr std::string_view kEnd = "PK\5\6";
constexpr std::size_t kEndSize = 22, kDirectorySize = 46, kLocalSize = 30;

std::uint32_t number(std::string_view bytes, std::size_t at, std::size_t width) {
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < width; ++k) {
    value |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + k])} << 8 * k;
  }
  return value;
}

void put(std::string& bytes, std::uint64_t value, std::size_t width) {
  for (; width > 0; --width, value >>= 8) bytes.push_back(static_cast<char>(value));
}

std::uint32_t crc32(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

// The common part of a member's local header and its directory entry.
void put_member(std::string& bytes, const ZipArchive::Member& member) {
  put(bytes, 20, 2);  // version
  put(bytes, 0, 2);   // flags
  put(bytes, 0, 2);   // stored
  put(bytes, 0x00210000, 4);
  put(bytes, crc32(member.content), 4);
  put(bytes, member.content.size(), 4);
  put(bytes, member.content.size(), 4);
  put(bytes, member.name.size(), 2);
  put(bytes, 0, 2);
}

}  // namespace

std::optional<ZipArchive> parse_zip(std::string_view bytes) {
  const std::size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || bytes.size() < end + kEndSize) return std::nullopt;
  ZipArchive archive;
  archive.sealed = bytes.substr(end + kEndSize).starts_with(kSeal);
  std::size_t at = number(bytes, end + 16, 4);
  for (std::uint32_t left = number(bytes, end + 10, 2); left > 0; --left) {
    if (at + kDirectorySize > bytes.size()) return std::nullopt;
    const std::size_t name = number(bytes, at + 28, 2), size = number(bytes, at + 20, 4);
    const std::size_t local = number(bytes, at + 42, 4);
    if (number(bytes, at + 10, 2) != 0 || local + kLocalSize > bytes.size()) return std::nullopt;
    const std::size_t start =
        local + kLocalSize + number(bytes, local + 26, 2) + number(bytes, local + 28, 2);
    if (at + kDirectorySize + name > bytes.size() || start + size > bytes.size()) {
      return std::nullopt;
    }
    archive.members.push_back({std::string(bytes.substr(at + kDirectorySize, name)),
                               std::string(bytes.substr(start, size))});
    at += kDirectorySize + name + number(bytes, at + 30, 2) + number(bytes, at + 32, 2);
  }
  return archive;
}

std::string write_zip(const ZipArchive& archive) {
  std::string bytes, directory;
  for (const ZipArchive::Member& member : archive.members) {
    directory += "PK\1\2";
    put(directory, 20, 2);
    put_member(directory, member);
    put(directory, 0, 10);  // no comment, first disk, attributes
    put(directory, bytes.size(), 4);
    directory += member.name;
    bytes += "PK\3\4";
    put_member(bytes, member);
    bytes += member.name + member.content;
  }
  const std::size_t start = bytes.size();
  bytes += directory;
  bytes += kEnd;
  put(bytes, 0, 4);
  put(bytes, archive.members.size(), 2);
  put(bytes, archive.members.size(), 2);
  put(bytes, directory.size(), 4);
  put(bytes, start, 4);
  put(bytes, archive.sealed ? kSeal.size() + 16 : 0, 2);
  if (archive.sealed) {
    bytes += kSeal;
    Crc64 crc;
    crc.update(std::as_bytes(std::span(bytes)));
    bytes += fmt::format("{:016x}", crc.value());
  }
  return bytes;
}

}  // namespace stkr::fuzz
