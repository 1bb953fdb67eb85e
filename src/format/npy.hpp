#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// The header of a .npy file (NumPy Enhancement Proposal 1, versions 1 to 3).
struct NpyHeader {
  std::string descr;           // as in the file: "<f8", "|u1", "<U5"
  char kind = 'f';             // b bool, i and u integers, f floating point, U and S strings
  std::size_t item_size = 8;   // bytes
  bool swapped = false;        // byte order differs from this machine's
  bool fortran_order = false;  // first index fastest
  std::vector<Index> shape;    // empty for a scalar
  Index elements = 1;          // product of the shape

  std::size_t data_bytes() const { return static_cast<std::size_t>(elements) * item_size; }
};

// Reads the bytes of a file, or of one member of an archive, in order.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills `out` completely, or throws DataError.
  virtual void read(std::span<std::byte> out) = 0;

  // Leaves out the next bytes: at once if they are stored as they are, otherwise by reading them.
  virtual void skip(std::uint64_t bytes);

  // Calls use(offset, part) for parts of the next `bytes` bytes, from several threads at once and
  // in any order. Returns false, without having read, if the bytes can only be read in order.
  using UsePart = std::function<void(std::uint64_t offset, std::span<const std::byte> part)>;
  virtual bool read_parts(std::uint64_t, const UsePart&) { return false; }
};

// An array in a file. It is decoded while it is read, chunk by chunk, directly into the result, so
// that its bytes and the result are never in memory together; therefore it can be read only once.
// Results are always in this machine's byte order and in C order (last index fastest). All reading
// functions throw DataErrors that start with where().
class NpyArray {
 public:
  // `data` yields the bytes after the header and must not end before the array does.
  NpyArray(NpyHeader header, std::unique_ptr<ByteSource> data, std::string where);

  const NpyHeader& header() const { return header_; }
  const std::string& where() const { return where_; }  // "points.npz: array X"
  const std::vector<Index>& shape() const { return header_.shape; }
  Index rows() const { return shape().empty() ? 1 : shape().front(); }
  Index columns() const;  // product of the dimensions after the first
  bool is_integer() const;
  bool is_text() const { return header_.kind == 'U' || header_.kind == 'S'; }

  // Numbers as rows × columns; a vector is one column, and dimensions after the first (an image,
  // say) are flattened into the row. NaN is kept.
  Matrix as_matrix();
  MatrixF as_float_matrix();

  // Returns up to `most` further rows, and no rows at the end. An array in Fortran order is loaded
  // completely, because its first row is complete only after its last column is read.
  Matrix next_rows(Index most);

  // Flattened. Floating-point values must be whole.
  std::vector<std::int64_t> as_integers();

  // Flattened. Text as UTF-8, numbers in their shortest decimal form.
  std::vector<std::string> as_strings();

  // Reads the next numbers in file order. T: double, float, std::int64_t, std::int32_t; values read
  // as integers must be whole and in range.
  template <class T>
  void read(std::span<T> out);

  // Leaves out the next numbers.
  void skip(Index count);

 private:
  // Calls f(position in the file, value) for the next `count` numbers, each in its stored type.
  template <class F>
  void visit(Index count, F&& f);
  template <class T, class F>
  void visit_as(Index count, F&& f);
  template <class T>
  void fill(T* out);  // the whole array, in C order
  // The next bytes, in this machine's byte order; valid until the next call.
  std::span<const std::byte> next_bytes(std::size_t count);
  void expect_unread() const;

  NpyHeader header_;
  std::unique_ptr<ByteSource> data_;
  std::string where_;
  std::vector<std::byte> chunk_;
  Index done_ = 0;  // elements read so far
  Matrix fortran_;  // next_rows of an array in Fortran order
  Index fortran_row_ = 0;
};

// Reads the magic string and the header; `available` is the size of the whole .npy image. Throws
// DataError unless the shape accounts for every following byte, so that a malicious header cannot
// cause an allocation larger than the file. Object arrays (pickles) are rejected.
NpyHeader read_npy_header(ByteSource& source, std::uint64_t available, const std::string& where);
NpyArray open_npy(std::unique_ptr<ByteSource> source, std::uint64_t available, std::string where);
NpyArray open_npy(const std::filesystem::path& path);
NpyArray open_npy(std::string image, std::string where);  // `image`: the content of a .npy file

// The NumPy type string of a C++ number type, in this machine's byte order.
template <class T>
std::string_view npy_descr();
template <>
std::string_view npy_descr<double>();
template <>
std::string_view npy_descr<float>();
template <>
std::string_view npy_descr<std::int64_t>();
template <>
std::string_view npy_descr<std::int32_t>();
template <>
std::string_view npy_descr<std::uint8_t>();

// Magic string, header and padding; the data follows in C order.
std::string npy_header_text(std::string_view descr, std::span<const Index> shape);

// UTF-8 texts as a NumPy unicode array: its descr and its data.
struct NpyText {
  std::string descr;
  std::vector<char32_t> data;
};
NpyText npy_text(std::span<const std::string> texts);

void save_npy(const std::filesystem::path& path, ConstMatrixRef matrix);

}  // namespace stkr
