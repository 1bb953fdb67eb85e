#include "petsc_binary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::int64_t kMatrix = 1211216;  // MAT_FILE_CLASSID
constexpr Index kBlock = 1 << 16;          // rows, or numbers that are read at a time

std::uint64_t big_endian(const std::byte* bytes, std::uint64_t width) {
  std::uint64_t value = 0;
  for (std::uint64_t k = 0; k < width; ++k)
    value = value << 8 | std::to_integer<unsigned>(bytes[k]);
  return value;
}

// The width of integers in a file that starts so; 0 for other files.
std::uint64_t integer_width(std::string_view bytes) {
  const auto* start = reinterpret_cast<const std::byte*>(bytes.data());
  for (const std::uint64_t width : {4, 8}) {
    if (bytes.size() >= width && big_endian(start, width) == kMatrix) return width;
  }
  return 0;
}

}  // namespace

bool PetscBinary::starts(std::string_view bytes) { return integer_width(bytes) > 0; }

void PetscBinary::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: {}", shown_, what));
}

void PetscBinary::read_at(std::uint64_t place, std::span<std::byte> out) {
  in_.seekg(static_cast<std::streamoff>(place));
  in_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
  if (!in_) fail("cannot be read, or was shortened while it is read");
}

void PetscBinary::integers(std::uint64_t place, std::span<std::int64_t> out) {
  buffer_.resize(out.size() * width_);
  read_at(place, buffer_);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::uint64_t bits = big_endian(buffer_.data() + k * width_, width_);
    out[k] = width_ == 4 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  }
}

PetscBinary::PetscBinary(const std::filesystem::path& path)
    : shown_(path.string()), in_(path, std::ios::binary) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || !in_) fail("cannot be opened; check the path and the permissions");
  std::string start(8, '\0');
  if (size < start.size()) fail("is too short for a matrix in PETSc's binary format");
  read_at(0, std::as_writable_bytes(std::span(start)));
  width_ = integer_width(start);
  if (width_ == 0) fail("does not start like a matrix in PETSc's binary format");
  head_ = 4 * width_;
  if (size < head_) fail("is too short for a matrix in PETSc's binary format");
  std::array<std::int64_t, 4> head{};
  integers(0, head);
  rows_ = head[1];
  cols_ = head[2];
  entries_ = head[3];
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  if (rows_ < 0 || cols_ < 0 || rows_ > kMost || cols_ > kMost) {
    fail(fmt::format("shape {} × {} exceeds the range of 32-bit indices", rows_, cols_));
  }
  if (entries_ == -1) fail("is a dense matrix, expected a sparse one (MATAIJ)");
  const auto bytes = [&](std::uint64_t value) {
    const auto number = static_cast<__uint128_t>(entries_);
    return head_ + static_cast<__uint128_t>(rows_) * width_ + number * (width_ + value);
  };
  if (entries_ >= 0 && bytes(16) == size) {
    fail("was written by a PETSc for complex numbers, expected real ones");
  }
  if (entries_ < 0 || bytes(8) != size) {
    fail(
        fmt::format("has {} bytes, but declares {} × {} with {} entries; it is truncated or "
                    "damaged",
                    size, rows_, cols_, entries_));
  }
  std::vector<std::int64_t> lengths;
  Index before = 0;
  for (Index row = 0; row < rows_; row += kBlock) {
    before_.push_back(before);
    lengths.resize(static_cast<std::size_t>(std::min(kBlock, rows_ - row)));
    integers(lengths_at(row), lengths);
    for (const std::int64_t length : lengths) {
      if (length < 0 || length > entries_ - before) {
        fail(fmt::format("has a row of {} entries, expected at most the {} that are left of {}",
                         length, entries_ - before, entries_));
      }
      before += length;
    }
  }
  if (before != entries_) {
    fail(fmt::format("its rows have {} entries, but it declares {}", before, entries_));
  }
}

Index PetscBinary::entries_before(Index row) {
  if (row >= rows_) return entries_;
  const Index block = row / kBlock;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(row - block * kBlock));
  integers(lengths_at(block * kBlock), lengths);
  Index before = before_[static_cast<std::size_t>(block)];
  for (const std::int64_t length : lengths) before += length;
  return before;
}

CsrMatrix PetscBinary::rows(Index first, Index count) {
  CsrMatrix part;
  part.rows = count;
  part.cols = cols_;
  part.row_start.assign(static_cast<std::size_t>(count) + 1, 0);
  const Index begin = entries_before(first);
  for (Index at = 0; at < count; at += kBlock) {
    const auto some = static_cast<std::size_t>(std::min(kBlock, count - at));
    integers(lengths_at(first + at), std::span(part.row_start).subspan(at + 1, some));
  }
  for (std::size_t i = 1; i < part.row_start.size(); ++i)
    part.row_start[i] += part.row_start[i - 1];
  const auto entries = static_cast<std::size_t>(part.row_start.back());
  part.column.resize(entries);
  part.value.resize(entries);
  const std::uint64_t columns = lengths_at(rows_);
  const std::uint64_t values = columns + static_cast<std::uint64_t>(entries_) * width_;
  std::vector<std::int64_t> numbers;
  for (std::size_t at = 0; at < entries; at += kBlock) {
    const std::size_t some = std::min<std::size_t>(kBlock, entries - at);
    const auto place = static_cast<std::uint64_t>(begin) + at;
    numbers.resize(some);
    integers(columns + place * width_, numbers);
    for (std::size_t k = 0; k < some; ++k) {
      if (numbers[k] < 0 || numbers[k] >= cols_) {
        fail(fmt::format("column index {} at entry {} is out of range: the matrix has {} columns",
                         numbers[k], place + k, cols_));
      }
      part.column[at + k] = static_cast<std::int32_t>(numbers[k]);
    }
    buffer_.resize(some * sizeof(double));
    read_at(values + place * sizeof(double), buffer_);
    for (std::size_t k = 0; k < some; ++k) {
      part.value[at + k] =
          std::bit_cast<double>(big_endian(buffer_.data() + k * sizeof(double), sizeof(double)));
    }
  }
  return part;
}

}  // namespace stkr
