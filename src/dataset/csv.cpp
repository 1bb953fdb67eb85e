#include "dataset/csv.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dataset/point_stream.hpp"
#include "format/atomic_file.hpp"
#include "format/csv_records.hpp"
#include "format/number_text.hpp"
#include "format/row_buffer.hpp"
#include "format/text_file.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::CsvRecords;

// Returns whether a first line is data rather than names: numbers, some of which may be too large
// or missing. pandas writes an empty name above its row index, followed by 0, 1, ... if the columns
// have no names.
bool is_data(const std::vector<std::string>& fields) {
  const bool numbers = std::all_of(fields.begin(), fields.end(), [](const std::string& field) {
    return detail::is_missing(field) || detail::looks_like_number(field);
  });
  if (!numbers || fields.size() < 2 || !detail::trimmed(fields[0]).empty()) return numbers;
  for (std::size_t c = 1; c < fields.size(); ++c) {
    if (detail::trimmed(fields[c]) != std::to_string(c - 1)) return true;
  }
  return false;
}

std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 40;
  return text.size() <= kMost ? printable(text) : printable(text.substr(0, kMost)) + "...";
}

// The columns that `wanted` lists: one, or several separated by commas. Empty if one is missing.
std::vector<std::size_t> find_labels(const std::vector<std::string>& names,
                                     const std::string& wanted) {
  if (const int one = detail::find_label_column(names, wanted); one >= 0) {
    return {static_cast<std::size_t>(one)};
  }
  std::vector<std::size_t> found;
  for (std::size_t start = 0; start <= wanted.size();) {
    const std::size_t end = std::min(wanted.find(',', start), wanted.size());
    const auto name = detail::trimmed(std::string_view(wanted).substr(start, end - start));
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end() || name.empty()) return {};
    found.push_back(static_cast<std::size_t>(at - names.begin()));
    start = end + 1;
  }
  return found;
}

}  // namespace

struct CsvReader::Table {
  explicit Table(const std::filesystem::path& path) : records(path) {}

  std::string place() const {
    return fmt::format("{}: line {}", records.lines().shown_path(), records.line());
  }

  [[noreturn]] void fail(const std::string& what) const { throw DataError(place() + what); }

  void check_utf8(const std::string& name) const {
    if (!is_utf8(name)) check_name(name, place());
  }

  // Decides the role of each column from the first record.
  void read_layout(const std::string& wanted, std::span<const std::string> known) {
    records.next();
    const std::vector<std::string>& first = records.fields();
    header = !is_data(first);
    pending = !header;
    for (std::size_t c = 0; c < first.size(); ++c) {
      names.push_back(header ? std::string(detail::trimmed(first[c])) : std::to_string(c));
      check_utf8(names.back());
    }
    if (header || !wanted.empty()) labels = find_labels(names, wanted);
    std::erase_if(labels, [&](std::size_t c) {
      return std::find(known.begin(), known.end(), names[c]) != known.end();
    });
    for (const std::size_t c : labels) label_names.push_back(names[c]);
    std::vector<std::size_t> unnamed;
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (std::find(labels.begin(), labels.end(), c) != labels.end()) continue;
      if (names[c].empty()) {
        unnamed.push_back(c + 1);
        continue;
      }
      features.push_back(c);
      if (header) feature_names.push_back(names[c]);
    }
    if (unnamed.size() == 1) {
      notes.push_back(
          fmt::format("column {} has no name (a row index?) and is skipped", unnamed[0]));
    } else if (unnamed.size() > 1) {
      notes.push_back(fmt::format("{} columns have no name and are skipped; the first is column {}",
                                  unnamed.size(), unnamed[0]));
    }
  }

  // The next line of data; false at the end.
  bool next() {
    if (!std::exchange(pending, false)) {
      do {
        if (!records.next()) return false;
      } while (records.blank() && names.size() > 1);
    }
    if (records.fields().size() != names.size()) {
      fail(fmt::format(": has {} fields, expected {} as in the first line", records.fields().size(),
                       names.size()));
    }
    ++lines;
    return true;
  }

  void append_labels(std::vector<std::string>& cells) const {
    for (const std::size_t c : labels) {
      cells.emplace_back(detail::trimmed(records.fields()[c]));
      check_utf8(cells.back());
    }
  }

  // Throws DataError if no line of data was read.
  void expect_data() const {
    if (lines > 0) return;
    throw DataError(fmt::format("{}: has no data after its header", records.lines().shown_path()));
  }

  double value(std::size_t column) const {
    const std::string& field = records.fields()[column];
    const auto number = detail::parse_number(field);
    if (number && std::isfinite(*number)) return *number;
    const bool empty = detail::trimmed(field).empty();
    const char* remedy = number || detail::is_missing(field)
                             ? "fill it in or remove the line"
                             : "remove the column, convert it to numbers, or use it as the label";
    fail(fmt::format(", column {}: {}, expected a finite number; {}", shortened(names[column]),
                     empty ? "is empty" : fmt::format("'{}'", shortened(field)), remedy));
  }

  CsvRecords records;
  bool header = false;
  bool pending = false;  // the first line is data and not yet returned
  Index lines = 0;       // of data
  std::vector<std::string> names;
  std::vector<std::size_t> features;
  std::vector<std::size_t> labels;
  std::vector<std::string> feature_names;
  std::vector<std::string> label_names;
  std::vector<std::string> notes;
};

CsvReader::CsvReader(const std::filesystem::path& path, const std::string& labels,
                     std::span<const std::string> features)
    : table_(std::make_unique<Table>(path)) {
  table_->read_layout(labels, features);
}

CsvReader::~CsvReader() = default;

Index CsvReader::features() const { return static_cast<Index>(table_->features.size()); }
const std::vector<std::string>& CsvReader::feature_names() const { return table_->feature_names; }
const std::vector<std::string>& CsvReader::column_names() const { return table_->names; }
const std::vector<std::string>& CsvReader::label_columns() const { return table_->label_names; }
const std::vector<std::string>& CsvReader::notes() const { return table_->notes; }

double CsvReader::progress() const {
  const detail::LineReader& lines = table_->records.lines();
  return static_cast<double>(lines.bytes_read()) / static_cast<double>(lines.file_size());
}

Matrix CsvReader::next_rows(Index most, std::vector<std::string>* labels) {
  Matrix rows(most, features());
  Index count = 0;
  while (count < most && table_->next()) {
    for (std::size_t k = 0; k < table_->features.size(); ++k) {
      rows(count, static_cast<Index>(k)) = table_->value(table_->features[k]);
    }
    ++count;
    if (labels != nullptr) table_->append_labels(*labels);
  }
  table_->expect_data();
  rows.conservativeResize(count, Eigen::NoChange);
  return rows;
}

Index CsvReader::skip_rows(std::vector<std::string>& labels) {
  Index count = 0;
  for (; table_->next(); ++count) table_->append_labels(labels);
  table_->expect_data();
  return count;
}

CsvPoints load_csv(const std::filesystem::path& path, const std::string& labels) {
  CsvReader reader(path, labels);
  CsvPoints result;
  const Index part = points_at_a_time(reader.features());
  Matrix values = reader.next_rows(part, &result.label_cells);
  Index rows = values.rows();
  for (;;) {
    const Matrix more = reader.next_rows(part, &result.label_cells);
    if (more.rows() == 0) break;
    detail::append_rows(values, rows, more);
  }
  values.conservativeResize(rows, Eigen::NoChange);
  result.points.values = std::move(values);
  result.points.feature_names = reader.feature_names();
  result.label_columns = reader.label_columns();
  result.column_names = reader.column_names();
  result.notes = reader.notes();
  return result;
}

std::string csv_field(std::string_view text) {
  // A byte order mark would vanish at the start of the file.
  const bool plain = text.find_first_of(",;\t\"\r\n") == std::string_view::npos &&
                     detail::trimmed(text) == text && !text.starts_with("\xEF\xBB\xBF");
  if (plain) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted.push_back('"');
    quoted.push_back(c);
  }
  return quoted + '"';
}

void save_csv(const std::filesystem::path& path, const Points& points, const Labels& labels) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  const auto* targets = std::get_if<TargetValues>(&labels);
  check_label_count(labels, points.values.rows(), path.string());
  std::vector<std::string> header;
  for (Index c = 0; c < points.values.cols(); ++c) {
    header.push_back(points.feature_names.empty()
                         ? fmt::format("x{}", c)
                         : csv_field(points.feature_names[static_cast<std::size_t>(c)]));
  }
  if (classes != nullptr) header.emplace_back("label");
  if (targets != nullptr) {
    for (const std::string& name : targets->names) header.push_back(csv_field(name));
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
        fields.push_back(
            code == kUnlabeled ? "" : csv_field(classes->names[static_cast<std::size_t>(code)]));
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
