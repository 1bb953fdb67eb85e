#pragma once

#include <optional>
#include <string>

#include "stkr/dataset/npz.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::detail {

// Whether an archive has the CSR parts adj_indices, adj_indptr and adj_shape, for prefix "adj_".
bool has_csr(const NpzReader& reader, const std::string& prefix);

// The rows of such a matrix, in order and as many at a time as one likes. Values are ones where
// there is no adj_data. Columns may come unsorted and twice. Throws DataError unless the arrays
// describe a matrix; what they announce is bounded by the file.
class CsrRows {
 public:
  // The reader must outlive this.
  CsrRows(const NpzReader& reader, const std::string& prefix);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index entries() const { return entries_; }
  const std::string& where() const { return where_; }

  // At most `most` further rows, none at the end.
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
