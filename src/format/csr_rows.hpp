#pragma once

#include <optional>
#include <string>

#include "format/npz.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::detail {

// Returns whether an archive has the CSR parts adj_indices, adj_indptr and adj_shape, for prefix
// "adj_".
bool has_csr(const NpzReader& reader, const std::string& prefix);

// The entries of all rows before this one, from the row starts alone.
Index entries_before(const NpzReader& reader, const std::string& prefix, Index row);

// Reads the rows of such a matrix in order, in chunks of any size. Without adj_data, all values are
// 1. Columns may be unsorted and occur twice. Throws DataError unless the arrays describe a matrix;
// sizes are checked against the size of the file.
class CsrRows {
 public:
  // The reader must outlive this.
  CsrRows(const NpzReader& reader, const std::string& prefix);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index entries() const { return entries_; }
  const std::string& where() const { return where_; }

  // Leaves out the next rows: at once, unless the archive is compressed.
  void skip(Index rows);

  // Returns up to `most` further rows, and no rows at the end.
  CsrMatrix next(Index most);

 private:
  [[noreturn]] void fail(const std::string& what) const;

  std::string where_;
  Index rows_ = 0;
  Index cols_ = 0;
  Index entries_ = 0;
  Index done_ = 0;          // rows
  std::int64_t start_ = 0;  // of the next row
  std::optional<NpyArray> row_start_;
  std::optional<NpyArray> column_;
  std::optional<NpyArray> value_;
};

}  // namespace stkr::detail
