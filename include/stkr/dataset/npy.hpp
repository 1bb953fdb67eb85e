#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/linop/matrix.hpp"

namespace stkr {

// What the header of a .npy file (NumPy Enhancement Proposal 1, versions 1 to 3) says.
struct NpyHeader {
  std::string descr;           // as in the file: "<f8", "|u1", "<U5"
  char kind = 'f';             // b bool, i and u integers, f floating point, U and S strings
  std::size_t item_size = 8;   // bytes
  bool swapped = false;        // the other byte order than this machine's
  bool fortran_order = false;  // first index fastest
  std::vector<Index> shape;    // empty for a scalar
  Index elements = 1;          // product of the shape

  std::size_t data_bytes() const { return static_cast<std::size_t>(elements) * item_size; }
};

// One array. Whatever the file held, the data here is in this machine's byte order and in C order
// (last index fastest). Conversions throw DataErrors that start with `where`.
struct NpyArray {
  NpyHeader header;
  std::vector<std::byte> data;
  std::string where;  // "points.npz: array X"

  const std::vector<Index>& shape() const { return header.shape; }
  bool is_integer() const { return header.kind == 'i' || header.kind == 'u' || header.kind == 'b'; }
  bool is_text() const { return header.kind == 'U' || header.kind == 'S'; }

  // Numbers as rows × columns; a vector is one column, and what a sample has beyond the first
  // dimension (an image, say) is flattened into its row. NaN is kept.
  Matrix as_matrix() const;
  MatrixF as_float_matrix() const;

  // Flattened. Floating-point values count as integers when they are whole.
  std::vector<std::int64_t> as_integers() const;

  // Flattened: text as UTF-8, numbers as they would be written.
  std::vector<std::string> as_strings() const;
};

// Reads exactly the given number of bytes into the buffer, or throws.
using ByteSource = std::function<void(std::span<std::byte>)>;

// Reads the magic string and the header; `available` is the size of the whole .npy image. Throws
// DataError unless the shape accounts for every byte that follows, so that a hostile header cannot
// make anyone allocate more than is there. Object arrays (pickles) are refused.
NpyHeader read_npy_header(const ByteSource& source, std::uint64_t available,
                          const std::string& where);
NpyArray read_npy(const ByteSource& source, std::uint64_t available, const std::string& where);
NpyArray parse_npy(std::span<const std::byte> bytes, const std::string& where);
NpyArray load_npy(const std::filesystem::path& path);

// The NumPy type string of a C++ number type, in this machine's byte order.
template <class T>
std::string_view npy_descr();  // double, float, std::int64_t, std::int32_t, std::uint8_t

// Magic string, header and padding; the data follows in C order.
std::string npy_header_text(std::string_view descr, std::span<const Index> shape);

// UTF-8 texts as a NumPy unicode array: its header and its data.
struct NpyText {
  std::string descr;
  std::vector<char32_t> data;
};
NpyText npy_text(std::span<const std::string> texts);

void save_npy(const std::filesystem::path& path, ConstMatrixRef matrix);

}  // namespace stkr
