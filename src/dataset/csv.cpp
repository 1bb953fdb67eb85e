#include "dataset/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dataset/point_stream.hpp"
#include "dataset/table.hpp"
#include "format/atomic_file.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::Table;
using detail::TableColumns;

// All feature columns as numbers.
TableEncoding plain_encoding(const Table& table, const TableColumns& columns,
                             const LoadOptions& options) {
  TableEncoding encoding;
  encoding.header = table.has_header();
  encoding.missing = options.missing;
  for (const std::size_t c : columns.features) {
    encoding.columns.push_back({.name = table.names()[c]});
  }
  if (columns.id) encoding.id_column = table.names()[*columns.id];
  return encoding;
}

}  // namespace

struct CsvReader::Lines {
  Table table;
  TableColumns columns;
  TableEncoding encoding;
  bool leave_gaps = false;  // missing cells are NaN
  bool new_samples = false;
  std::vector<std::string> feature_names{};
  std::vector<std::string> label_names{};
  std::vector<std::string> notes{};
  Index unknown = 0;  // texts that are no level, and the first of them
  std::string unknown_example{};

  void finish() {
    if (table.has_header()) feature_names = encoding.feature_names();
    for (const std::size_t c : columns.labels) label_names.push_back(table.names()[c]);
    if (!columns.id) encoding.id_column.clear();
  }

  [[noreturn]] void fail(std::size_t column, const std::string& what) const {
    throw DataError(fmt::format("{}: {}", table.place(table.line(), column), what));
  }

  static std::string found(std::string_view cell) {
    return cell.empty() ? "is empty" : fmt::format("'{}'", detail::shortened(cell));
  }

  double missing_value(std::size_t column, const EncodedColumn& encoded) const {
    if (encoded.fill) return *encoded.fill;
    if (leave_gaps) return std::numeric_limits<double>::quiet_NaN();
    fail(column, fmt::format("{}, expected a finite number; fill it in or remove the line{}",
                             found(table.cell(column)),
                             new_samples ? ", or fit the model with --impute median" : ""));
  }

  double number(std::size_t column, const EncodedColumn& encoded) {
    const std::string_view cell = table.cell(column);
    const auto value = table.number(cell);
    if (value && std::isfinite(*value)) return *value;
    if (table.missing(cell)) return missing_value(column, encoded);
    fail(column,
         fmt::format("{}, expected a finite number; {}", found(cell),
                     value ? "fill it in or remove the line"
                           : "remove the column, convert it to numbers, or use it as the label"));
  }

  double truth(std::size_t column, const EncodedColumn& encoded) const {
    const std::string_view cell = table.cell(column);
    if (table.missing(cell)) return missing_value(column, encoded);
    const std::string lower = detail::lower_case(cell);
    if (lower == "true" || lower == "1") return 1.0;
    if (lower == "false" || lower == "0") return 0.0;
    fail(column, fmt::format("{}, expected true or false", found(cell)));
  }

  // Sets the features of a category, which are 0.
  template <class Row>
  void set_level(std::size_t column, const EncodedColumn& encoded, Row&& row) {
    const std::string_view cell = table.cell(column);
    if (table.missing(cell)) {
      if (!encoding.impute) missing_value(column, encoded);
      return;
    }
    const auto at = std::lower_bound(encoded.levels.begin(), encoded.levels.end(), cell);
    if (at != encoded.levels.end() && *at == cell) {
      row[at - encoded.levels.begin()] = 1.0;
    } else if (unknown++ == 0) {
      table.check_utf8(cell);
      unknown_example = fmt::format("'{}' in line {}, column {}", detail::shortened(cell),
                                    table.line(), detail::shortened(encoded.name));
    }
  }

  template <class Row>
  void encode(Row&& row) {
    Index at = 0;
    for (std::size_t k = 0; k < encoding.columns.size(); ++k) {
      const EncodedColumn& encoded = encoding.columns[k];
      const std::size_t column = columns.features[k];
      if (encoded.kind == ColumnKind::category) {
        auto levels = row.segment(at, encoded.features());
        levels.setZero();
        set_level(column, encoded, levels);
      } else {
        row[at] =
            encoded.kind == ColumnKind::number ? number(column, encoded) : truth(column, encoded);
      }
      at += encoded.features();
    }
  }

  void append_text(std::size_t column, std::vector<std::string>& cells) {
    table.check_utf8(table.cell(column));
    cells.push_back(table.text(table.cell(column)));
  }
};

CsvReader::CsvReader(const std::filesystem::path& path, const TableProfile& profile,
                     const LoadOptions& options, TableEncoding encoding)
    : lines_(new Lines{.table = Table(path, profile.header, options.missing),
                       .columns = profile.columns,
                       .encoding = std::move(encoding),
                       .leave_gaps = options.impute}) {
  lines_->finish();
}

CsvReader::CsvReader(const std::filesystem::path& path, const TableEncoding& encoding,
                     std::optional<bool> header)
    : lines_(
          new Lines{.table = Table(path, header || encoding.header ? header : std::optional(false),
                                   encoding.missing),
                    .columns = {},
                    .encoding = encoding,
                    .new_samples = true}) {
  lines_->columns = detail::match_columns(lines_->table, encoding);
  if (!std::is_sorted(lines_->columns.features.begin(), lines_->columns.features.end())) {
    lines_->notes.push_back(path.string() +
                            ": the features are in a different order than the model's; they are "
                            "matched by name");
  }
  if (lines_->columns.id && encoding.id_column.empty()) {
    lines_->encoding.id_column = lines_->table.names()[*lines_->columns.id];
  }
  lines_->finish();
}

CsvReader::CsvReader(const std::filesystem::path& path, const LoadOptions& options)
    : lines_(new Lines{
          .table = Table(path, options.header, options.missing), .columns = {}, .encoding = {}}) {
  lines_->columns = detail::assign_columns(lines_->table, options);
  lines_->encoding = plain_encoding(lines_->table, lines_->columns, options);
  lines_->notes = lines_->columns.notes;
  lines_->finish();
}

CsvReader::~CsvReader() = default;

Index CsvReader::features() const { return lines_->encoding.features(); }
const std::vector<std::string>& CsvReader::feature_names() const { return lines_->feature_names; }
const std::vector<std::string>& CsvReader::label_columns() const { return lines_->label_names; }
const std::string& CsvReader::id_column() const { return lines_->encoding.id_column; }
const std::vector<std::string>& CsvReader::notes() const { return lines_->notes; }
double CsvReader::progress() const { return lines_->table.progress(); }

Matrix CsvReader::next_rows(Index most, std::vector<std::string>* labels,
                            std::vector<std::string>* ids) {
  Matrix rows(most, features());
  Index count = 0;
  while (count < most && lines_->table.next()) {
    lines_->encode(rows.row(count++));
    detail::check_decimals(lines_->table.path(), lines_->table.comma_line(),
                           lines_->table.point_line());
    if (labels != nullptr) {
      for (const std::size_t c : lines_->columns.labels) lines_->append_text(c, *labels);
    }
    if (ids == nullptr || !lines_->columns.id) continue;
    const std::string_view id = lines_->table.cell(*lines_->columns.id);
    lines_->table.check_utf8(id);
    ids->emplace_back(id);
  }
  lines_->table.expect_data();
  rows.conservativeResize(count, Eigen::NoChange);
  return rows;
}

std::vector<std::string> CsvReader::warnings() const {
  if (lines_->unknown == 0) return {};
  return {fmt::format("{}: {} cell{} {} no category of the model ({}); {} read as none of them",
                      lines_->table.path(), lines_->unknown, lines_->unknown == 1 ? "" : "s",
                      lines_->unknown == 1 ? "holds" : "hold", lines_->unknown_example,
                      lines_->unknown == 1 ? "it is" : "they are")};
}

namespace {

// Fills gaps with the median of a column, and with the more frequent truth value.
void fill_gaps(TableEncoding& encoding, Matrix& values) {
  std::vector<double> present;
  Index at = 0;
  for (EncodedColumn& column : encoding.columns) {
    const Index c = std::exchange(at, at + column.features());
    if (column.kind == ColumnKind::category) continue;
    present.clear();
    for (Index i = 0; i < values.rows(); ++i) {
      if (!std::isnan(values(i, c))) present.push_back(values(i, c));
    }
    const auto middle = present.begin() + static_cast<std::ptrdiff_t>(present.size() / 2);
    std::nth_element(present.begin(), middle, present.end());
    double fill = *middle;
    if (present.size() % 2 == 0) {
      const double below = *std::max_element(present.begin(), middle);
      // With as many true as false, the truth value is false.
      fill = column.kind == ColumnKind::boolean ? below : below / 2 + fill / 2;
    }
    column.fill = fill;
    for (Index i = 0; i < values.rows(); ++i) {
      if (std::isnan(values(i, c))) values(i, c) = fill;
    }
  }
}

}  // namespace

CsvPoints load_csv(const std::filesystem::path& path, const LoadOptions& options) {
  const TableProfile profile = profile_table(path, options);
  CsvPoints result;
  result.notes = profile.notes;
  result.encoding = encode_table(profile, options, result.notes);
  CsvReader reader(path, profile, options, result.encoding);
  Matrix values(profile.rows, reader.features());
  const Index part = points_at_a_time(reader.features());
  for (Index row = 0;;) {
    const Matrix rows = reader.next_rows(part, &result.label_cells, &result.ids);
    if (row + rows.rows() > values.rows() || (rows.rows() == 0 && row < values.rows())) {
      throw DataError(fmt::format("{}: changed while it was read", path.string()));
    }
    if (rows.rows() == 0) break;
    values.middleRows(row, rows.rows()) = rows;
    row += rows.rows();
  }
  if (options.impute) fill_gaps(result.encoding, values);
  result.points.values = std::move(values);
  result.points.feature_names = reader.feature_names();
  result.label_columns = reader.label_columns();
  result.column_names = profile.names;
  return result;
}

std::string csv_field(std::string_view text, bool quote) {
  if (text.find('\0') != std::string_view::npos) {
    throw ValueError(fmt::format(
        "'{}' contains a zero byte, which a text file cannot store; use .npz", printable(text)));
  }
  // A byte order mark would vanish at the start of the file.
  const bool plain = text.find_first_of(",;\t\"\r\n") == std::string_view::npos &&
                     detail::trimmed(text) == text && !text.starts_with("\xEF\xBB\xBF");
  if (plain && !quote) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + '"';
}

std::vector<std::string> save_csv(const std::filesystem::path& path, const Points& points,
                                  const Labels& labels, std::span<const std::string> ids,
                                  const std::string& id_column) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  const auto* targets = std::get_if<TargetValues>(&labels);
  check_label_count(labels, points.values.rows(), path.string());
  std::vector<std::string> header;
  if (!ids.empty()) header.push_back(id_column);
  for (Index c = 0; c < points.values.cols(); ++c) {
    header.push_back(points.feature_names.empty()
                         ? fmt::format("x{}", c)
                         : points.feature_names[static_cast<std::size_t>(c)]);
  }
  if (classes != nullptr) header.emplace_back("label");
  if (targets != nullptr) {
    header.insert(header.end(), targets->names.begin(), targets->names.end());
  }
  write_atomically(path, [&](FileSink& sink) {
    std::vector<std::string> fields;
    for (const std::string& name : header) fields.push_back(csv_field(name));
    sink.write(fmt::format("{}\n", fmt::join(fields, ",")));
    for (Index i = 0; i < points.values.rows(); ++i) {
      fields.clear();
      if (!ids.empty()) fields.push_back(csv_field(ids[static_cast<std::size_t>(i)]));
      for (Index c = 0; c < points.values.cols(); ++c) {
        fields.push_back(detail::number_text(points.values(i, c)));
      }
      if (classes != nullptr) {
        const std::int32_t code = classes->code[static_cast<std::size_t>(i)];
        fields.push_back(
            code == kUnlabeled ? "" : csv_field(classes->names[static_cast<std::size_t>(code)]));
      }
      for (Index c = 0; targets != nullptr && c < targets->values.cols(); ++c) {
        const double value = targets->values(i, c);
        fields.push_back(std::isnan(value) ? "" : detail::target_text(value));
      }
      sink.write(fmt::format("{}\n", fmt::join(fields, ",")));
    }
  });
  if (detail::reads_as_header(header)) return {};
  return {
      "the names of columns are numbers, which may be read as a sample; say --header, or use "
      ".npz"};
}

}  // namespace stkr
