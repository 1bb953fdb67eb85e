#include "scored_answers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "dataset/column_table.hpp"
#include "dataset/label_array.hpp"
#include "format/csv_records.hpp"
#include "format/npy.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

constexpr std::string_view kScore = "score_", kProbability = "probability_";

// The truth as it is in its file: labels, and names or numbers of the samples if it has them.
struct Truth {
  std::string where;
  Labels labels;
  std::string id_column{};  // empty: none
  std::vector<std::string> ids{};
  std::vector<std::string> index{};  // likewise
};

bool is_own_column(std::string_view name) {
  return name == "index" || name == "prediction" || name == "evidence" || name == "tie" ||
         name.starts_with(kScore) || name.starts_with(kProbability);
}

// The column with the names of the samples; empty if there is none.
std::string id_column_of(const ColumnTable& answers, const ScoreSources& sources) {
  if (!sources.id.empty()) {
    answers.column(sources.id);
    return sources.id;
  }
  for (const std::string& name : answers.names) {
    if (!is_own_column(name) && name != sources.prediction) return name;
  }
  return "";
}

// Whether the predictions are classes: predict writes ties only for these. Otherwise numbers that
// are not all whole are regression.
bool are_classes(const ColumnTable& answers, const ScoreSources& sources) {
  if (sources.task != Task::automatic) return sources.task == Task::classification;
  if (answers.find("tie") != nullptr) return true;
  const std::vector<std::string>& cells = answers.column(sources.prediction);
  return std::any_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return !detail::parse_number(cell); }) ||
         std::all_of(cells.begin(), cells.end(),
                     [](const std::string& cell) { return detail::parse_whole(cell).has_value(); });
}

// The label column of a table: the named one, one with a usual name, or the only one left.
std::string label_column(const ColumnTable& table, const ScoreSources& sources,
                         const std::string& id) {
  if (!sources.labels.empty()) {
    table.column(sources.labels);
    return sources.labels;
  }
  if (const int usual = detail::find_label_column(table.names, ""); usual >= 0) {
    return table.names[static_cast<std::size_t>(usual)];
  }
  std::vector<std::string> left;
  for (const std::string& name : table.names) {
    if (name != id && name != "index" && !name.empty()) left.push_back(name);
  }
  if (left.size() == 1) return left.front();
  throw DataError(
      fmt::format("{}: no column is called label, class, target or y; name the one with "
                  "the truth, --labels NAME; it has {}",
                  table.where, printable(fmt::format("{}", fmt::join(table.names, ", ")))));
}

Truth truth_of_table(const ScoreSources& sources, const std::string& id, Task task) {
  const ColumnTable table = load_columns(sources.truth, sources.truth_format);
  Truth truth{.where = table.where, .labels = {}};
  if (!sources.id.empty()) table.column(sources.id);
  if (!id.empty()) {
    for (const std::string& name : table.names) {
      if (name == id) truth.id_column = name;
    }
    for (const std::string& name : table.names) {
      const std::string lower = detail::lower_case(name);
      const bool usual = lower == "id" || lower == "node" || lower == "name";
      if (truth.id_column.empty() && (lower == detail::lower_case(id) || usual)) {
        truth.id_column = name;
      }
    }
  }
  if (!truth.id_column.empty()) truth.ids = table.column(truth.id_column);
  if (const auto* index = table.find("index")) truth.index = *index;
  const std::string label = label_column(table, sources, truth.id_column);
  truth.labels = labels_from_cells(table.column(label), label, task,
                                   fmt::format("{}: column {}", table.where, printable(label)));
  return truth;
}

Truth load_truth(const ScoreSources& sources, const std::string& id, Task task) {
  if (is_column_table(sources.truth, sources.truth_format)) {
    return truth_of_table(sources, id, task);
  }
  if (sources.truth.ends_with(".npy")) {
    return {.where = sources.truth, .labels = labels_from_array(open_npy(sources.truth), task)};
  }
  LoadOptions options{.labels = sources.labels, .format = sources.truth_format, .task = task};
  options.minus_one_is_unlabeled = false;
  const Dataset dataset = load_dataset(sources.truth, options);
  return {.where = sources.truth,
          .labels = dataset.truth,
          .id_column = dataset.sample_name_column(),
          .ids = dataset.sample_names()};
}

Index number_of(const std::string& cell, const std::string& where, std::size_t row) {
  const auto value = detail::parse_integer(cell);
  if (value && *value >= 0) return *value;
  throw DataError(fmt::format("{}: row {}: the index is '{}', expected a whole number from 0",
                              where, row + 1, printable(cell)));
}

template <class Cells>
auto places_of(const Cells& cells, const std::string& where, const std::string& column) {
  std::unordered_map<std::string, Index> places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!places.emplace(cells[i], static_cast<Index>(i)).second) {
      throw DataError(fmt::format("{}: column {}: '{}' occurs twice; expected each sample once",
                                  where, printable(column), printable(cells[i])));
    }
  }
  return places;
}

// The row of the truth for each prediction, -1 for none, by names.
std::vector<Index> match_names(const ColumnTable& answers, const std::string& id,
                               const Truth& truth) {
  const std::vector<std::string>& names = answers.column(id);
  places_of(names, answers.where, id);
  const auto places = places_of(truth.ids, truth.where, truth.id_column);
  std::vector<Index> rows;
  bool any = false;
  for (const std::string& name : names) {
    const auto found = places.find(name);
    rows.push_back(found == places.end() ? Index{-1} : found->second);
    any = any || found != places.end();
  }
  if (!any) {
    throw DataError(fmt::format("{}: none of its names ({}: '{}', ...) is in {} ({}: '{}', ...)",
                                answers.where, printable(id), printable(names.front()), truth.where,
                                printable(truth.id_column), printable(truth.ids.front())));
  }
  return rows;
}

// The same by number: the column index, or the order of the rows.
std::vector<Index> match_index(const ColumnTable& answers, const Truth& truth) {
  const Index size = sample_count(truth.labels);
  std::vector<Index> wanted;
  bool complete = true;  // 0, 1, 2, ...
  const std::vector<std::string>* index = answers.find("index");
  for (Index i = 0; i < answers.rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    wanted.push_back(index ? number_of((*index)[at], answers.where, at) : i);
    complete = complete && wanted.back() == i;
  }
  if (!truth.index.empty()) {
    const auto places = places_of(truth.index, truth.where, "index");
    for (Index& i : wanted) {
      const auto found = places.find(std::to_string(i));
      i = found == places.end() ? -1 : found->second;
    }
    return wanted;
  }
  const Index last = wanted.empty() ? -1 : *std::max_element(wanted.begin(), wanted.end());
  if (last >= size || (complete && answers.rows() != size)) {
    throw DataError(fmt::format(
        "{} has predictions of samples up to number {}, but {} has {} rows; expected one row of "
        "truth per sample, in the same order, or a column of names in both (--id COLUMN)",
        answers.where, last, truth.where, size));
  }
  return wanted;
}

// The truth in the order of the predictions.
Labels labels_in_order(const Labels& labels, const std::vector<Index>& rows) {
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    ClassLabels result{.names = classes->names, .code = {}};
    for (const Index row : rows) result.code.push_back(row < 0 ? kUnlabeled : classes->code[row]);
    return result;
  }
  const auto& targets = std::get<TargetValues>(labels);
  TargetValues result{.names = targets.names,
                      .values = Matrix::Constant(static_cast<Index>(rows.size()),
                                                 targets.values.cols(), std::nan(""))};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) result.values.row(static_cast<Index>(i)) = targets.values.row(rows[i]);
  }
  return result;
}

double number_in(const std::string& cell, const ColumnTable& answers, const std::string& column,
                 Index row) {
  const auto value = detail::parse_number(cell);
  if (value && std::isfinite(*value)) return *value;
  throw DataError(fmt::format("{}: row {}, column {}: '{}', expected a number", answers.where,
                              row + 1, printable(column), printable(cell)));
}

// Columns whose names start with `prefix`, as numbers, and the rest of their names.
std::optional<Matrix> numbers_of(const ColumnTable& answers, std::string_view prefix,
                                 std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < answers.names.size(); ++c) {
    if (!answers.names[c].starts_with(prefix)) continue;
    columns.push_back(c);
    names.push_back(answers.names[c].substr(prefix.size()));
  }
  if (columns.empty()) return std::nullopt;
  Matrix values(answers.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < values.rows(); ++i) {
    for (Index k = 0; k < values.cols(); ++k) {
      const std::size_t c = columns[static_cast<std::size_t>(k)];
      values(i, k) =
          number_in(answers.columns[c][static_cast<std::size_t>(i)], answers, answers.names[c], i);
    }
  }
  return values;
}

// -1 is unlabeled unless it is a class of the model. Classes that the model does not know could
// never be predicted: a different spelling, most likely.
void check_classes(const ColumnTable& answers, ScoredAnswers& result) {
  auto& truth = std::get<ClassLabels>(result.truth);
  std::unordered_set<std::string> known(result.predicted.begin(), result.predicted.end());
  for (const std::string& name : answers.names) {
    for (const std::string_view prefix : {kScore, kProbability}) {
      if (name.starts_with(prefix)) known.insert(name.substr(prefix.size()));
    }
  }
  if (!known.contains("-1")) {
    if (const Index hidden = hide_minus_one(truth); hidden > 0) {
      result.notes.push_back(
          fmt::format("{} samples of class -1 have no truth: no prediction is -1", hidden));
    }
  }
  std::vector<char> occurs(truth.names.size(), 0);
  for (const std::int32_t code : truth.code) {
    if (code != kUnlabeled) occurs[static_cast<std::size_t>(code)] = 1;
  }
  const std::vector<std::string> names(known.begin(), known.end());
  for (std::size_t c = 0; c < truth.names.size(); ++c) {
    if (!occurs[c] || known.contains(truth.names[c])) continue;
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    throw DataError(fmt::format(
        "{}: the true class '{}' is unknown to the predictions, whose "
        "classes are {}{}",
        answers.where, printable(truth.names[c]),
        printable(fmt::format("{}", fmt::join(sorted, ", "))), suggestion(truth.names[c], sorted)));
  }
}

}  // namespace

ScoredAnswers match_answers(const ScoreSources& sources) {
  const ColumnTable answers = load_columns(sources.answers, sources.answers_format);
  const std::vector<std::string>& predictions = answers.column(sources.prediction);
  const bool classes = are_classes(answers, sources);
  std::string id = id_column_of(answers, sources);
  const Truth truth = load_truth(sources, id, classes ? Task::classification : Task::regression);
  if (std::holds_alternative<std::monostate>(truth.labels)) {
    throw DataError(fmt::format("{}: has no labels; name them, --labels NAME", truth.where));
  }
  const bool named = !id.empty() && !truth.ids.empty();
  const std::vector<Index> rows =
      named ? match_names(answers, id, truth) : match_index(answers, truth);
  ScoredAnswers result;
  result.matched_by = named ? id : "index";
  result.truth = labels_in_order(truth.labels, rows);
  result.truth_labels = static_cast<Index>(labeled_indices(truth.labels).size());
  if (classes) {
    result.predicted = predictions;
    result.probabilities = numbers_of(answers, kProbability, result.columns);
    check_classes(answers, result);
  } else {
    std::vector<std::string> targets;
    const auto scores = numbers_of(answers, kScore, targets);
    if (scores && scores->cols() > 1) {
      result.values = *scores;
    } else {
      result.values.resize(answers.rows(), 1);
      for (Index i = 0; i < answers.rows(); ++i) {
        result.values(i, 0) =
            number_in(predictions[static_cast<std::size_t>(i)], answers, sources.prediction, i);
      }
    }
  }
  if (labeled_indices(result.truth).empty()) {
    throw DataError(
        fmt::format("{}: no predicted sample has a label in {}", answers.where, truth.where));
  }
  return result;
}

}  // namespace stkr::app
