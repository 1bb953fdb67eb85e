#include "stkr/dataset/table_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dataset/feature_scale.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

void check_width(Index features, const Vector& scale) {
  if (features != scale.size()) {
    throw ShapeError(
        fmt::format("cannot standardize {} features; expected {}", features, scale.size()));
  }
}

}  // namespace

std::string_view column_kind_name(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::number:
      return "number";
    case ColumnKind::boolean:
      return "boolean";
    case ColumnKind::category:
      return "category";
  }
  return "unknown";
}

Index TableEncoding::features() const {
  Index count = 0;
  for (const EncodedColumn& column : columns) count += column.features();
  return count;
}

std::vector<std::string> TableEncoding::feature_names() const {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(features()));
  for (const EncodedColumn& column : columns) {
    if (column.kind != ColumnKind::category) names.push_back(column.name);
    for (const std::string& level : column.levels) {
      names.push_back(fmt::format("{}={}", column.name, level));
    }
  }
  return names;
}

bool TableEncoding::numbers_only() const {
  return std::all_of(columns.begin(), columns.end(),
                     [](const EncodedColumn& column) { return column.kind == ColumnKind::number; });
}

void TableEncoding::standardize(Matrix& points) const {
  if (!standardized()) return;
  check_width(points.cols(), scale);
  points.rowwise() -= center.transpose();
  points.array().rowwise() /= scale.transpose().array();
}

void TableEncoding::standardize(CsrMatrix& points) const {
  if (!standardized()) return;
  check_width(points.cols, scale);
  for (std::size_t p = 0; p < points.value.size(); ++p) {
    points.value[p] /= scale[points.column[p]];
  }
}

void TableEncoding::learn_scale(const CsrMatrix& points) {
  const auto rows = static_cast<double>(std::max<Index>(points.rows, 1));
  Vector sum = Vector::Zero(points.cols), squares = Vector::Zero(points.cols);
  for (std::size_t p = 0; p < points.value.size(); ++p) {
    sum[points.column[p]] += points.value[p];
    squares[points.column[p]] += points.value[p] * points.value[p];
  }
  const Vector mean = sum / rows;
  center = Vector::Zero(points.cols);
  scale = (squares / rows - mean.cwiseAbs2()).cwiseMax(0.0).cwiseSqrt();
  for (Index c = 0; c < scale.size(); ++c) {
    if (!(scale[c] > 1e-7 * std::abs(mean[c]))) scale[c] = 1.0;
  }
}

void TableEncoding::learn_scale(ConstMatrixRef points) {
  Vector sum = Vector::Zero(points.cols()), squares = Vector::Zero(points.cols());
  add_points(points, sum);
  center = sum / static_cast<double>(std::max<Index>(points.rows(), 1));
  add_squared_deviations(points, center, squares);
  scale = feature_scale(center, squares, points.rows());
}

void TableEncoding::check() const {
  for (const EncodedColumn& column : columns) {
    const bool category = column.kind == ColumnKind::category;
    if (!category && !column.levels.empty()) throw ValueError("only categories have levels");
    if (!std::is_sorted(column.levels.begin(), column.levels.end())) {
      throw ValueError("the levels of a category must ascend");
    }
    if (column.fill && !std::isfinite(*column.fill)) throw ValueError("a fill is not finite");
  }
  if (first_index && *first_index != 0 && *first_index != 1) {
    throw ValueError("expected 0 or 1 as the first index");
  }
  if (center.size() != scale.size() ||
      (standardized() && !columns.empty() && scale.size() != features())) {
    throw ValueError("expected one center and one scale per feature");
  }
  if (!center.allFinite() || !scale.allFinite() || (scale.array() <= 0.0).any()) {
    throw ValueError("expected finite centers and positive scales");
  }
}

}  // namespace stkr
