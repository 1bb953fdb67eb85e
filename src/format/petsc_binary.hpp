#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// A sparse matrix as PETSc's MatView writes it to a binary viewer, for real numbers in double
// precision and 32- or 64-bit indices: big-endian numbers, the class id, rows, columns and entries,
// then the entries of each row, all columns, all values. Any rows are read from where they are;
// opening the file reads the entries of all rows once. Throws DataError.
class PetscBinary {
 public:
  // Whether a file that starts so may be one.
  static bool starts(std::string_view bytes);

  explicit PetscBinary(const std::filesystem::path& path);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index entries() const { return entries_; }
  const std::string& shown_path() const { return shown_; }

  // The entries of all rows before this one.
  Index entries_before(Index row);
  // Columns may be unsorted.
  CsrMatrix rows(Index first, Index count);

 private:
  [[noreturn]] void fail(const std::string& what) const;
  void read_at(std::uint64_t place, std::span<std::byte> out);
  // Numbers at `place`, of the size that integers have in this file.
  void integers(std::uint64_t place, std::span<std::int64_t> out);
  std::uint64_t lengths_at(Index row) const {
    return head_ + static_cast<std::uint64_t>(row) * width_;
  }

  std::string shown_;
  std::ifstream in_;
  std::uint64_t width_ = 8;  // bytes of an integer
  std::uint64_t head_ = 0;
  Index rows_ = 0, cols_ = 0, entries_ = 0;
  std::vector<Index> before_;  // the entries before every 65,536th row
  std::vector<std::byte> buffer_;
};

}  // namespace stkr
