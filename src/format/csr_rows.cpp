#include "csr_rows.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "stkr/error.hpp"

namespace stkr::detail {

bool has_csr(const NpzReader& reader, const std::string& prefix) {
  return reader.has_array(prefix + "indices") && reader.has_array(prefix + "indptr") &&
         reader.has_array(prefix + "shape");
}

Index entries_before(const NpzReader& reader, const std::string& prefix, Index row) {
  NpyArray starts = reader.array(prefix + "indptr");
  std::int64_t start = 0;
  starts.skip(row);
  starts.read(std::span(&start, 1));
  return start;
}

void CsrRows::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: {}", where_, what));
}

CsrRows::CsrRows(const NpzReader& reader, const std::string& prefix)
    : where_(fmt::format("{}: matrix {}*", reader.shown_path(), prefix)) {
  if (reader.has_array(prefix + "format")) {
    const auto format = reader.array(prefix + "format").as_strings();
    if (format != std::vector<std::string>{"csr"}) {
      fail(fmt::format("is stored as {}, expected csr; convert it with .tocsr()",
                       fmt::join(format, " ")));
    }
  }
  const auto shape = reader.array(prefix + "shape").as_integers();
  if (shape.size() != 2) {
    fail(fmt::format("{}shape has {} entries, expected 2: rows and columns", prefix, shape.size()));
  }
  rows_ = shape[0];
  cols_ = shape[1];
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  if (rows_ < 0 || cols_ < 0 || rows_ > kMost || cols_ > kMost) {
    fail(fmt::format("shape {} × {} exceeds the range of 32-bit indices", rows_, cols_));
  }
  row_start_ = reader.array(prefix + "indptr");
  column_ = reader.array(prefix + "indices");
  entries_ = column_->header().elements;
  if (row_start_->header().elements != rows_ + 1) {
    fail(fmt::format("has {} row starts, expected {}: one more than the rows",
                     row_start_->header().elements, rows_ + 1));
  }
  if (reader.has_array(prefix + "data")) {
    value_ = reader.array(prefix + "data");
    if (value_->header().elements != entries_) {
      fail(fmt::format("has {} values but {} column indices", value_->header().elements, entries_));
    }
  }
  row_start_->read(std::span(&start_, 1));
  if (start_ != 0) fail(fmt::format("row starts begin with {}, expected 0", start_));
  if (rows_ == 0 && entries_ != 0) fail(fmt::format("has no rows but {} entries", entries_));
}

void CsrRows::skip(Index rows) {
  if (rows <= 0) return;
  const std::int64_t first = start_;
  row_start_->skip(rows - 1);
  row_start_->read(std::span(&start_, 1));
  if (start_ < first || start_ > entries_) {
    fail(fmt::format("row starts reach {} at row {}, expected {} to {}", start_, done_ + rows,
                     first, entries_));
  }
  column_->skip(start_ - first);
  if (value_) value_->skip(start_ - first);
  done_ += rows;
}

CsrMatrix CsrRows::next(Index most) {
  CsrMatrix part;
  part.rows = std::min(most, rows_ - done_);
  part.cols = cols_;
  part.row_start.resize(static_cast<std::size_t>(part.rows) + 1);
  row_start_->read(std::span(part.row_start).subspan(1));
  const std::int64_t first = start_;
  for (std::size_t i = 1; i < part.row_start.size(); ++i) {
    const std::int64_t end = part.row_start[i];
    if (end < start_) {
      fail(fmt::format("row starts decrease after row {}", done_ + static_cast<Index>(i) - 1));
    }
    if (end > entries_) {
      fail(fmt::format("row starts reach {}, expected at most {}, the number of entries", end,
                       entries_));
    }
    start_ = end;
    part.row_start[i] = end - first;
  }
  done_ += part.rows;
  if (done_ == rows_ && start_ != entries_) {
    fail(fmt::format("row starts run from 0 to {}, expected from 0 to {}, the number of entries",
                     start_, entries_));
  }
  const auto count = static_cast<std::size_t>(start_ - first);
  part.column.resize(count);
  column_->read(std::span(part.column));
  for (std::size_t i = 0; i < count; ++i) {
    if (part.column[i] < 0 || part.column[i] >= cols_) {
      fail(fmt::format("column index {} at entry {} is out of range: the matrix has {} columns",
                       part.column[i], first + static_cast<Index>(i), cols_));
    }
  }
  if (value_) {
    part.value.resize(count);
    value_->read(std::span(part.value));
  } else {
    part.value.assign(count, 1.0);
  }
  return part;
}

}  // namespace stkr::detail
