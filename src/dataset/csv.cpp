#include "stkr/dataset/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "csv_records.hpp"
#include "number_text.hpp"
#include "stkr/dataset/atomic_file.hpp"
#include "stkr/error.hpp"
#include "text_file.hpp"

namespace stkr {
namespace {

using detail::CsvRecords;

bool all_numbers(const std::vector<std::string>& fields) {
  return std::all_of(fields.begin(), fields.end(), [](const std::string& field) {
    return detail::parse_number(field).has_value();
  });
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + "...";
}

// What happens to each column, decided from the first record.
struct Layout {
  std::vector<std::string> names;
  std::vector<std::size_t> features;
  int label = -1;
  bool header = false;
};

Layout make_layout(const std::vector<std::string>& first, const std::string& label_column,
                   CsvPoints& result) {
  Layout layout;
  layout.header = !all_numbers(first);
  for (std::size_t c = 0; c < first.size(); ++c) {
    layout.names.push_back(layout.header ? std::string(detail::trimmed(first[c]))
                                         : std::to_string(c));
  }
  if (layout.header || !label_column.empty()) {
    layout.label = detail::find_label_column(layout.names, label_column);
  }
  for (std::size_t c = 0; c < layout.names.size(); ++c) {
    if (static_cast<int>(c) == layout.label) continue;
    if (layout.names[c].empty()) {
      result.notes.push_back(
          fmt::format("column {} has no name (a row index?) and is left out", c + 1));
      continue;
    }
    layout.features.push_back(c);
    if (layout.header) result.points.feature_names.push_back(layout.names[c]);
  }
  result.column_names = layout.names;
  result.has_labels = layout.label >= 0;
  if (result.has_labels) {
    result.label_column = layout.names[static_cast<std::size_t>(layout.label)];
  }
  return layout;
}

double feature_value(const CsvRecords& records, const Layout& layout, std::size_t column,
                     const std::string& shown) {
  const std::string& field = records.fields()[column];
  const auto number = detail::parse_number(field);
  if (number && std::isfinite(*number)) return *number;
  const bool empty = detail::trimmed(field).empty();
  throw DataError(
      fmt::format("{}: line {}, column {}: {}, expected a finite number; {}", shown, records.line(),
                  layout.names[column], empty ? "is empty" : fmt::format("'{}'", shortened(field)),
                  empty ? "fill it in or remove the line"
                        : "remove the column, turn it into numbers, or name it as the label"));
}

}  // namespace

CsvPoints load_csv(const std::filesystem::path& path, const std::string& label_column) {
  const std::string shown = path.string();
  const std::string text = detail::read_text_file(path);
  CsvRecords records(text, detail::guess_separator(text), shown);
  records.next();
  CsvPoints result;
  const Layout layout = make_layout(records.fields(), label_column, result);
  std::vector<double> values;
  Index rows = 0;
  for (bool more = !layout.header || records.next(); more; more = records.next()) {
    if (records.blank() && layout.names.size() > 1) continue;
    if (records.fields().size() != layout.names.size()) {
      throw DataError(fmt::format("{}: line {}: has {} fields, expected {} as in the first line",
                                  shown, records.line(), records.fields().size(),
                                  layout.names.size()));
    }
    for (const std::size_t column : layout.features) {
      values.push_back(feature_value(records, layout, column, shown));
    }
    if (layout.label >= 0) {
      const auto label = static_cast<std::size_t>(layout.label);
      result.label_cells.emplace_back(detail::trimmed(records.fields()[label]));
    }
    ++rows;
  }
  if (rows == 0) throw DataError(fmt::format("{}: has no line of data after its header", shown));
  result.points.values =
      Eigen::Map<const Matrix>(values.data(), rows, static_cast<Index>(layout.features.size()));
  return result;
}

CsvShape read_csv_shape(const std::filesystem::path& path, const std::string& label_column) {
  const std::string shown = path.string();
  std::ifstream in(path, std::ios::binary);
  // A record goes on where a line ends inside quotes.
  const auto next_record = [&](std::string& record) {
    record.clear();
    for (std::string line; std::getline(in, line);) {
      record += line + '\n';
      if (std::count(record.begin(), record.end(), '"') % 2 == 0) return true;
    }
    return !record.empty();
  };
  std::string record;
  if (!next_record(record)) throw DataError(fmt::format("{}: is empty", shown));
  const char separator = detail::guess_separator(record);
  CsvPoints table;
  CsvRecords first(record, separator, shown);
  first.next();
  const Layout layout = make_layout(first.fields(), label_column, table);
  CsvShape shape{.features = static_cast<Index>(layout.features.size()),
                 .has_labels = table.has_labels,
                 .label_column = std::move(table.label_column),
                 .column_names = std::move(table.column_names)};
  for (bool more = !layout.header || next_record(record); more; more = next_record(record)) {
    if (detail::trimmed(record).empty() && layout.names.size() > 1) continue;
    ++shape.rows;
    if (layout.label < 0) continue;
    CsvRecords fields(record, separator, shown);
    fields.next();
    const auto label = static_cast<std::size_t>(layout.label);
    shape.label_cells.emplace_back(
        label < fields.fields().size() ? detail::trimmed(fields.fields()[label]) : "");
  }
  if (shape.rows == 0) {
    throw DataError(fmt::format("{}: has no line of data after its header", shown));
  }
  return shape;
}

void save_csv(const std::filesystem::path& path, const Points& points, const Labels& labels) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  const auto* targets = std::get_if<TargetValues>(&labels);
  check_label_count(labels, points.values.rows(), path.string());
  std::vector<std::string> header;
  for (Index c = 0; c < points.values.cols(); ++c) {
    header.push_back(points.feature_names.empty()
                         ? fmt::format("x{}", c)
                         : detail::csv_field(points.feature_names[static_cast<std::size_t>(c)]));
  }
  if (classes != nullptr) header.emplace_back("label");
  if (targets != nullptr) {
    for (const std::string& name : targets->names) header.push_back(detail::csv_field(name));
  }
  write_atomically(path, [&](FileSink& sink) {
    sink.write(fmt::format("{}\n", fmt::join(header, ",")));
    std::vector<std::string> fields;
    for (Index i = 0; i < points.values.rows(); ++i) {
      fields.clear();
      for (Index c = 0; c < points.values.cols(); ++c) {
        fields.push_back(detail::number_text(points.values(i, c)));
      }
      if (classes != nullptr) {
        const std::int32_t code = classes->code[static_cast<std::size_t>(i)];
        fields.push_back(code == kUnlabeled
                             ? ""
                             : detail::csv_field(classes->names[static_cast<std::size_t>(code)]));
      }
      for (Index c = 0; targets != nullptr && c < targets->values.cols(); ++c) {
        const double value = targets->values(i, c);
        fields.push_back(std::isnan(value) ? "" : detail::number_text(value));
      }
      sink.write(fmt::format("{}\n", fmt::join(fields, ",")));
    }
  });
}

}  // namespace stkr
