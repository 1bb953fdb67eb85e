#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

enum class ColumnKind { number, boolean, category };
std::string_view column_kind_name(ColumnKind kind);

// A column of a table that is a feature, or several.
struct EncodedColumn {
  std::string name;  // in the header; its number, from 0, if there is none
  ColumnKind kind = ColumnKind::number;
  std::vector<std::string> levels{};  // of a category, ascending
  std::optional<double> fill{};       // instead of a missing number or truth value

  // A number or a truth value (0 or 1) is one feature; a category is one per level, which is 1 for
  // that level and 0 for any other text.
  Index features() const {
    return kind == ColumnKind::category ? static_cast<Index>(levels.size()) : 1;
  }
  bool operator==(const EncodedColumn&) const = default;
};

// How the columns of a table become features, so that new tables are read like the first. A model
// stores it. Points from other files have no columns, but may be standardized, and svmlight files
// count features from 0 or 1.
struct TableEncoding {
  std::vector<EncodedColumn> columns{};
  bool header = true;                  // the table has one
  std::vector<std::string> ignored{};  // columns that are no features: labels, dropped
  std::string id_column{};             // empty if there is none
  std::vector<std::string> missing{};  // marks of missing cells; empty: the usual ones
  bool impute = false;                 // missing cells are filled; a category then has no level
  std::optional<int> first_index{};    // of features in svmlight files, 0 or 1; empty: not known
  // Features are standardized, unless these are empty: (x - center) / scale. The center of sparse
  // points is 0.
  Vector center{};
  Vector scale{};

  Index features() const;                          // 0 without columns
  std::vector<std::string> feature_names() const;  // a level of a category: "color=red"
  bool standardized() const { return scale.size() > 0; }
  // Whether all columns are numbers, so that arrays may replace the table.
  bool numbers_only() const;

  // Throws ShapeError unless `points` have as many columns as there are scales. Sparse points are
  // scaled only, so that they stay sparse.
  void standardize(Matrix& points) const;
  void standardize(CsrMatrix& points) const;
  // Sets center and scale to the mean and the standard deviation of each column of `points`; the
  // scale of a constant column is 1, and the center of sparse points 0.
  void learn_scale(ConstMatrixRef points);
  void learn_scale(const CsrMatrix& points);

  // Throws ValueError unless the parts agree, for encodings that were stored.
  void check() const;
};

}  // namespace stkr
