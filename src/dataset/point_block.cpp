#include "dataset/point_block.hpp"

#include "format/row_buffer.hpp"

namespace stkr {

Index rows_of(const PointBlock& points) {
  if (const auto* sparse = std::get_if<CsrMatrix>(&points)) return sparse->rows;
  return std::get<Matrix>(points).rows();
}

PointBlock in_order(PointBlock points, std::span<const Index> columns) {
  if (auto* dense = std::get_if<Matrix>(&points)) {
    Matrix result(dense->rows(), static_cast<Index>(columns.size()));
    for (Index k = 0; k < result.cols(); ++k) result.col(k) = dense->col(columns[k]);
    return result;
  }
  auto& sparse = std::get<CsrMatrix>(points);
  std::vector<std::int32_t> place(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    place[columns[k]] = static_cast<std::int32_t>(k);
  }
  for (std::int32_t& column : sparse.column) column = place[column];
  sort_rows(sparse);
  return points;
}

void append_rows(PointBlock& to, Index& rows, const PointBlock& more) {
  if (auto* dense = std::get_if<Matrix>(&to)) {
    detail::append_rows(*dense, rows, std::get<Matrix>(more));
    return;
  }
  auto& sparse = std::get<CsrMatrix>(to);
  const auto& added = std::get<CsrMatrix>(more);
  for (Index i = 0; i < added.rows; ++i) {
    sparse.row_start.push_back(sparse.entries() + added.row_start[i + 1]);
  }
  sparse.column.insert(sparse.column.end(), added.column.begin(), added.column.end());
  sparse.value.insert(sparse.value.end(), added.value.begin(), added.value.end());
  sparse.rows += added.rows;
}

}  // namespace stkr
