#include "format/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>

#include "format/atomic_file.hpp"
#include "format/data_failure.hpp"
#include "npy_header.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::size_t kAlignment = 64;            // of the data, as in NumPy
constexpr std::uint64_t kLongestHeader = 10'000;  // as in NumPy

class FileBytes : public ByteSource {
 public:
  explicit FileBytes(const std::filesystem::path& path)
      : in_(path, std::ios::binary), where_(path.string()) {
    if (!in_) fail_to_read(where_, "cannot be opened; check the path and the permissions");
  }
  void read(std::span<std::byte> out) override {
    in_.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size()));
    if (!in_)
      fail_to_read(where_, "cannot be read to its end; it may have been truncated while reading");
  }
  void skip(std::uint64_t bytes) override {
    in_.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
  }

 private:
  std::ifstream in_;
  std::string where_;
};

class MemoryBytes : public ByteSource {
 public:
  MemoryBytes(std::string bytes, std::string where)
      : bytes_(std::move(bytes)), where_(std::move(where)) {}
  void read(std::span<std::byte> out) override {
    if (out.size() > bytes_.size() - done_) fail_to_read(where_, "is truncated");
    std::memcpy(out.data(), bytes_.data() + done_, out.size());
    done_ += out.size();
  }

 private:
  std::string bytes_;
  std::string where_;
  std::size_t done_ = 0;
};

std::uint64_t read_little_endian(ByteSource& source, std::size_t bytes) {
  std::array<std::byte, 4> raw{};
  source.read(std::span(raw).first(bytes));
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) value = value << 8 | std::to_integer<std::uint64_t>(raw[i]);
  return value;
}

// Sets `elements`. Throws DataError unless shape × item size equals the bytes after the header.
void check_size(NpyHeader& header, std::uint64_t data_bytes, const std::string& where) {
  bool overflow = false;
  Index elements = 1;
  std::uint64_t extent = header.item_size;  // with empty dimensions counted as 1
  for (const Index size : header.shape) {
    overflow |= __builtin_mul_overflow(extent, static_cast<std::uint64_t>(std::max<Index>(size, 1)),
                                       &extent);
    overflow |= extent > static_cast<std::uint64_t>(std::numeric_limits<Index>::max());
    if (!overflow) elements *= size;
  }
  if (overflow || static_cast<std::uint64_t>(elements) * header.item_size != data_bytes) {
    fail_to_read(where,
                 fmt::format("the header declares shape ({}) of type '{}', but {} bytes of data "
                             "follow; the file is truncated or damaged",
                             fmt::join(header.shape, ", "), header.descr, data_bytes));
  }
  // Empty rows or columns need no bytes in the file, but time and memory to process.
  constexpr Index kMostOfNothing = 1 << 20;
  if (elements == 0 && std::any_of(header.shape.begin(), header.shape.end(),
                                   [](Index size) { return size > kMostOfNothing; })) {
    fail_to_read(where, fmt::format("the header declares shape ({}), which has no values",
                                    fmt::join(header.shape, ", ")));
  }
  header.elements = elements;
}

}  // namespace

void ByteSource::skip(std::uint64_t bytes) {
  std::array<std::byte, 1 << 14> unused{};
  for (std::uint64_t left = bytes; left > 0;) {
    const std::size_t now = std::min<std::uint64_t>(left, unused.size());
    read(std::span(unused).first(now));
    left -= now;
  }
}

void NpyArray::skip(Index count) {
  if (count < 0 || count > header_.elements - done_) {
    fail_to_read(where_, fmt::format("has {} values, expected at least {}", header_.elements,
                                     done_ + count));
  }
  data_->skip(static_cast<std::uint64_t>(count) * header_.item_size);
  done_ += count;
}

NpyHeader read_npy_header(ByteSource& source, std::uint64_t available, const std::string& where) {
  if (available == 0) fail_to_read(where, "is empty; expected a NumPy array");
  std::array<std::byte, 8> start{};
  const std::size_t compared = std::min<std::uint64_t>(available, start.size());
  source.read(std::span(start).first(compared));
  if (std::memcmp(start.data(), kMagic.data(), std::min(compared, kMagic.size())) != 0) {
    fail_to_read(where, "is not a NumPy array: it does not start with \\x93NUMPY");
  }
  const int version = std::to_integer<int>(start[6]);
  if (compared == start.size() && (version < 1 || version > 3)) {
    fail_to_read(where, fmt::format("has .npy version {}, expected 1 to 3", version));
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  const std::uint64_t fixed = start.size() + length_bytes;
  if (available < fixed) fail_to_read(where, "is truncated within the array header");
  const std::uint64_t length = read_little_endian(source, length_bytes);
  if (length > kLongestHeader) {
    fail_to_read(
        where, fmt::format("declares a header of {} bytes, expected at most {}; the file contains "
                           "records or is damaged",
                           length, kLongestHeader));
  }
  if (length > available - fixed) {
    fail_to_read(where,
                 fmt::format("declares a header of {} bytes, but only {} bytes follow; the file is "
                             "truncated or damaged",
                             length, available - fixed));
  }
  std::string text(length, '\0');
  source.read(std::as_writable_bytes(std::span(text)));
  NpyHeader header = detail::parse_npy_dictionary(text, where);
  check_size(header, available - fixed - length, where);
  return header;
}

NpyArray open_npy(std::unique_ptr<ByteSource> source, std::uint64_t available, std::string where) {
  NpyHeader header = read_npy_header(*source, available, where);
  return {std::move(header), std::move(source), std::move(where)};
}

NpyArray open_npy(std::string image, std::string where) {
  const std::uint64_t size = image.size();
  return open_npy(std::make_unique<MemoryBytes>(std::move(image), where), size, where);
}

NpyArray open_npy(const std::filesystem::path& path) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (error) fail_to_read(path.string(), "cannot be opened; check the path and the permissions");
  return open_npy(std::make_unique<FileBytes>(path), size, path.string());
}

std::string npy_header_text(std::string_view descr, std::span<const Index> shape) {
  const std::string tuple = shape.size() == 1 ? fmt::format("({},)", shape[0])
                                              : fmt::format("({})", fmt::join(shape, ", "));
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", descr, tuple);
  const std::size_t fixed = 10;
  text.append((kAlignment - (fixed + text.size() + 1) % kAlignment) % kAlignment, ' ');
  text.push_back('\n');
  // At most 32 dimensions of 20 digits: the length always fits into the 16 bits of version 1.
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string result(kMagic);
  result += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return result + text;
}

void save_npy(const std::filesystem::path& path, ConstMatrixRef matrix) {
  const std::array<Index, 2> shape = {matrix.rows(), matrix.cols()};
  write_atomically(path, [&](FileSink& sink) {
    sink.write(npy_header_text(npy_descr<double>(), shape));
    for (Index row = 0; row < matrix.rows(); ++row) {
      sink.write({reinterpret_cast<const char*>(matrix.row(row).data()),
                  static_cast<std::size_t>(matrix.cols()) * sizeof(double)});
    }
  });
}

}  // namespace stkr
