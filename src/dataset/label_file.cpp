#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "dataset/label_array.hpp"
#include "format/csv_records.hpp"
#include "format/file_format.hpp"
#include "format/number_text.hpp"
#include "format/text_file.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

// Maps the name of each sample, or its number, to its index. Throws DataError for two samples with
// the same name, starting with `where`.
std::unordered_map<std::string, std::size_t> sample_places(const Dataset& dataset,
                                                           const std::string& where) {
  const std::vector<std::string>& names = dataset.sample_names();
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < static_cast<std::size_t>(dataset.size()); ++i) {
    if (places.emplace(names.empty() ? std::to_string(i) : names[i], i).second) continue;
    throw DataError(
        fmt::format("{}: names samples, but '{}' is the name of two samples of the data", where,
                    printable(names[i])));
  }
  return places;
}

void load_label_table(const std::filesystem::path& path, const LoadOptions& options,
                      const Dataset& dataset, Parsed& parsed) {
  const std::string shown = path.string();
  CsvRecords records(path);
  records.next();
  const std::vector<std::string> columns = records.fields();
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: line {}: {}", shown, records.line(), what));
  };
  const auto checked = [&](std::string_view name) {
    if (!is_utf8(name)) check_name(name, fmt::format("{}: line {}", shown, records.line()));
    return std::string(name);
  };
  int label = find_label_column(columns, "");
  int key = -1;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string name = lower_case(trimmed(columns[c]));
    const bool usual = name == "node" || name == "name" || name == "id";
    const bool ids = !dataset.ids.empty() && trimmed(columns[c]) == dataset.id_column;
    if (usual || ids) key = static_cast<int>(c);
  }
  if (label < 0 && columns.size() == (key < 0 ? 1u : 2u)) label = key == 0 ? 1 : 0;
  if (label < 0) fail("has no label column, expected one named label, class, target or y");
  const std::string column = checked(columns[static_cast<std::size_t>(label)]);
  const bool named = !dataset.sample_names().empty();
  if (key >= 0 && !named && dataset.kind() != DatasetKind::graph) {
    parsed.notes.push_back(fmt::format(
        "{}: column {} is read as the numbers of the samples, from 0, because the data has no ids",
        shown, checked(columns[static_cast<std::size_t>(key)])));
  }
  const auto places =
      key < 0 ? decltype(sample_places(dataset, shown)){} : sample_places(dataset, shown);
  std::vector<std::string> cells(key < 0 ? 0 : static_cast<std::size_t>(dataset.size()));
  std::vector<char> seen(cells.size(), 0);
  while (records.next()) {
    if (records.blank() && columns.size() > 1) continue;
    if (records.fields().size() != columns.size()) {
      fail(fmt::format("has {} fields, expected {}", records.fields().size(), columns.size()));
    }
    const std::string cell = checked(trimmed(records.fields()[static_cast<std::size_t>(label)]));
    if (key < 0) {
      cells.push_back(cell);
      continue;
    }
    const std::string name = checked(trimmed(records.fields()[static_cast<std::size_t>(key)]));
    const auto found = places.find(name);
    if (found == places.end()) {
      fail(fmt::format("'{}' is not {} of the data{}", printable(name),
                       dataset.kind() == DatasetKind::graph ? "a node" : "a sample",
                       named ? ""
                             : fmt::format(", whose samples have no names: they are numbered "
                                           "from 0 to {}",
                                           dataset.size() - 1)));
    }
    if (seen[found->second] != 0) fail(fmt::format("'{}' occurs twice", printable(name)));
    seen[found->second] = 1;
    cells[found->second] = cell;
  }
  take_labels(cells, std::span(&column, 1), options, shown, parsed);
}

// A note on cells that were read as unlabeled, by their marks; none if they are all empty.
void note_unlabeled(std::span<const std::string> cells, const LoadOptions& options,
                    std::vector<std::string>& notes) {
  std::map<std::string, Index> marks;
  Index total = 0;
  for (const std::string& cell : cells) {
    if (!is_missing(cell, options.missing)) continue;
    ++total;
    ++marks[cell];
  }
  if (marks.empty() || (marks.size() == 1 && marks.begin()->first.empty())) return;
  std::vector<std::string> counts;
  for (const auto& [mark, count] : marks) {
    counts.push_back(mark.empty() ? fmt::format("{} empty", count)
                                  : fmt::format("{} '{}'", count, printable(mark)));
  }
  notes.push_back(fmt::format(
      "labels: {} cell{} read as unlabeled ({}); if a mark is the name of a class, list the others "
      "with --missing",
      total, total == 1 ? " is" : "s are", fmt::join(counts, ", ")));
}

// A note on classes that may be meant as one: TRUE and true.
void note_same_classes(const Labels& labels, std::vector<std::string>& notes) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  if (classes == nullptr) return;
  std::map<std::string, std::string> seen;
  for (const std::string& name : classes->names) {
    const auto [first, is_new] = seen.emplace(lower_case(name), name);
    if (is_new) continue;
    notes.push_back(
        fmt::format("labels: '{}' and '{}' are two classes, though they differ only in case",
                    printable(first->second), printable(name)));
    return;
  }
}

// A note on classes whose names look like marks of missing values.
void note_doubtful_classes(const Labels& labels, std::vector<std::string>& notes) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  if (classes == nullptr) return;
  for (std::size_t c = 0; c < classes->names.size(); ++c) {
    const std::string name = lower_case(classes->names[c]);
    const auto marks = {"?", "-", ".", "n.a.", "na", "unknown", "unlabeled", "missing"};
    if (std::find(marks.begin(), marks.end(), name) == marks.end()) continue;
    notes.push_back(fmt::format(
        "labels: '{0}' is a class, of {1} samples; if it marks unlabeled samples, say --missing "
        "'{0}'",
        classes->names[c],
        std::count(classes->code.begin(), classes->code.end(), static_cast<std::int32_t>(c))));
  }
}

}  // namespace

RowReference parse_row_reference(const std::string& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string::npos || text.back() != ']') return {text, std::nullopt};
  const auto row = parse_integer(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (!row || *row < 0) return {text, std::nullopt};
  return {text.substr(0, open), *row};
}

std::vector<Index> index_from_array(NpyArray array, std::optional<Index> row) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", array.where(), what));
  };
  if (array.is_text() || array.shape().empty() || array.shape().size() > 2) {
    fail("expected a vector of sample indices, or a matrix with one list of indices per row");
  }
  std::vector<std::int64_t> values = array.as_integers();
  if (array.shape().size() == 2) {
    const Index rows = array.shape()[0];
    const Index length = array.shape()[1];
    if (!row && rows != 1) {
      fail(fmt::format("has {} rows; choose one by its number in brackets, [0] to [{}]", rows,
                       rows - 1));
    }
    const Index chosen = row.value_or(0);
    if (chosen >= rows) fail(fmt::format("has {} rows, so row {} is out of range", rows, chosen));
    values = {values.begin() + chosen * length, values.begin() + (chosen + 1) * length};
  } else if (row) {
    fail("is a vector, so it has no rows to choose from; remove the brackets");
  }
  if (array.header().kind != 'b') return {values.begin(), values.end()};
  std::vector<Index> indices;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

void take_labels(NpyArray array, Task task, Parsed& parsed) {
  const NpyHeader& header = array.header();
  parsed.label_type = header.kind == 'f' ? fmt::format("float{}", 8 * header.item_size) : "";
  parsed.labels = labels_from_array(std::move(array), task);
}

void take_labels(std::span<const std::string> cells, std::span<const std::string> columns,
                 const LoadOptions& options, const std::string& where, Parsed& parsed) {
  parsed.labels = labels_from_cells(cells, columns, options.task, where, options.missing);
  note_unlabeled(cells, options, parsed.notes);
  note_doubtful_classes(parsed.labels, parsed.notes);
  note_same_classes(parsed.labels, parsed.notes);
}

void take_label_columns(std::span<const std::string> cells, std::span<const std::string> columns,
                        const LoadOptions& options, const std::filesystem::path& path,
                        Parsed& parsed) {
  parsed.has_labels = !columns.empty();
  if (!parsed.has_labels) return;
  const std::string names = printable(fmt::format("{}", fmt::join(columns, ", ")));
  parsed.label_source = fmt::format("column{} {}", columns.size() == 1 ? "" : "s", names);
  take_labels(cells, columns, options, fmt::format("{}: column {}", path.string(), names), parsed);
}

void load_label_file(const std::filesystem::path& path, const LoadOptions& options,
                     const Dataset& dataset, Parsed& parsed) {
  parsed.label_source = path.string();
  if (path.extension() == ".npy") return take_labels(open_npy(path), options.task, parsed);
  if (without_gz(path).extension() == ".csv") {
    return load_label_table(path, options, dataset, parsed);
  }
  std::vector<std::string> cells;
  for (LineReader lines(path); lines.next();) {
    cells.emplace_back(trimmed(lines.line()));
    if (!is_utf8(cells.back())) {
      check_name(cells.back(), fmt::format("{}: line {}", path.string(), lines.number()));
    }
  }
  const std::string column = "label";
  take_labels(cells, std::span(&column, 1), options, path.string(), parsed);
}

std::vector<Index> load_index_file(const std::filesystem::path& path, std::optional<Index> row) {
  if (path.extension() == ".npy") return index_from_array(open_npy(path), row);
  std::vector<Index> indices;
  for (LineReader lines(path); lines.next();) {
    std::string_view rest = lines.line();
    rest = rest.substr(0, rest.find('#'));
    while (!(rest = trimmed(rest)).empty()) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const auto value = parse_integer(word);
      if (!value) {
        throw DataError(fmt::format("{}: line {}: '{}' is not a sample index", path.string(),
                                    lines.number(), word));
      }
      indices.push_back(*value);
    }
  }
  return indices;
}

}  // namespace stkr::detail
