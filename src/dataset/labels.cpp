#include "stkr/dataset/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Codes for values in ascending order; nullopt is unlabeled.
template <class T, class Name>
ClassLabels encode(std::span<const std::optional<T>> values, Name name) {
  std::vector<T> distinct;
  for (const auto& value : values) {
    if (value) distinct.push_back(*value);
  }
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  ClassLabels labels;
  for (const T& value : distinct) labels.names.push_back(name(value));
  labels.code.reserve(values.size());
  for (const auto& value : values) {
    if (!value) {
      labels.code.push_back(kUnlabeled);
      continue;
    }
    const auto found = std::lower_bound(distinct.begin(), distinct.end(), *value);
    labels.code.push_back(static_cast<std::int32_t>(found - distinct.begin()));
  }
  return labels;
}

std::vector<std::string> default_names(Index targets) {
  if (targets == 1) return {"target"};
  std::vector<std::string> names;
  for (Index c = 0; c < targets; ++c) names.push_back(fmt::format("target_{}", c));
  return names;
}

}  // namespace

ClassLabels class_labels(std::span<const std::optional<std::int64_t>> values) {
  return encode(values, [](std::int64_t value) { return std::to_string(value); });
}

ClassLabels class_labels(std::span<const std::int64_t> values) {
  return class_labels(std::vector<std::optional<std::int64_t>>(values.begin(), values.end()));
}

ClassLabels class_labels(std::span<const std::string> cells, std::span<const std::string> missing) {
  std::vector<std::optional<std::int64_t>> integers(cells.size());
  std::vector<std::optional<std::string>> texts(cells.size());
  bool all_whole = true;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string_view cell = detail::trimmed(cells[i]);
    if (detail::is_missing(cell, missing)) continue;
    texts[i] = std::string(cell);
    integers[i] = detail::parse_whole(cell);
    all_whole = all_whole && integers[i].has_value();
  }
  if (all_whole) return class_labels(integers);
  return encode(std::span<const std::optional<std::string>>(texts),
                [](const std::string& text) { return text; });
}

TargetValues target_values(Matrix values, std::vector<std::string> names,
                           const std::string& where) {
  for (Index i = 0; i < values.rows(); ++i) {
    const bool unlabeled = values.row(i).array().isNaN().any();
    for (Index c = 0; c < values.cols(); ++c) {
      if (std::isinf(values(i, c))) {
        throw ValueError(fmt::format("{}: the target of sample {} is infinite", where, i));
      }
      if (unlabeled && !std::isnan(values(i, c))) {
        throw ValueError(fmt::format(
            "{}: sample {} has some targets but not all; give all of them, or NaN for all", where,
            i));
      }
    }
  }
  if (static_cast<Index>(names.size()) != values.cols()) names = default_names(values.cols());
  return {std::move(names), std::move(values)};
}

Labels labels_from_cells(std::span<const std::string> cells, std::span<const std::string> columns,
                         Task task, const std::string& where,
                         std::span<const std::string> missing) {
  const bool several = columns.size() > 1;
  if (several && task == Task::classification) {
    throw DataError(
        fmt::format("{}: has {} columns, expected one for classification; for several targets use "
                    "regression",
                    where, columns.size()));
  }
  if (task == Task::classification) return class_labels(cells, missing);
  const bool regression = task == Task::regression || several;
  bool all_whole = true;
  bool all_numbers = true;
  Matrix values(static_cast<Index>(cells.size() / columns.size()),
                static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    double& value = values.data()[i];
    value = kNan;
    if (detail::is_missing(cells[i], missing)) continue;
    const auto number = detail::parse_number(cells[i]);
    if (!number && regression) {
      throw DataError(fmt::format(
          "{}: the target {} of sample {} is '{}', expected a number or an empty cell", where,
          printable(columns[i % columns.size()]), i / columns.size(), printable(cells[i])));
    }
    all_numbers = all_numbers && number;
    all_whole = all_whole && detail::parse_whole(cells[i]);
    if (number) value = *number;
  }
  if (!regression && (all_whole || !all_numbers)) {
    ClassLabels classes = class_labels(cells, missing);
    if (all_whole) check_class_numbers(classes, where);
    return classes;
  }
  try {
    return target_values(std::move(values), {columns.begin(), columns.end()}, where);
  } catch (const ValueError& error) {
    throw DataError(error.what());
  }
}

Labels labels_from_cells(std::span<const std::string> cells, const std::string& column, Task task,
                         const std::string& where, std::span<const std::string> missing) {
  return labels_from_cells(cells, std::span(&column, 1), task, where, missing);
}

void check_class_numbers(const ClassLabels& labels, const std::string& where) {
  constexpr std::size_t kUsual = 20;
  constexpr double kLabelsEach = 5.0, kGaps = 1.2;
  std::vector<std::int64_t> values;
  for (const std::string& name : labels.names) {
    const auto value = detail::parse_integer(name);
    if (!value) return;
    if (*value != -1) values.push_back(*value);
  }
  if (values.size() <= kUsual) return;
  const auto classes = static_cast<double>(values.size());
  const auto range = static_cast<double>(values.back()) - static_cast<double>(values.front()) + 1;
  const auto labeled = std::count_if(labels.code.begin(), labels.code.end(),
                                     [](std::int32_t code) { return code != kUnlabeled; });
  if (static_cast<double>(labeled) >= kLabelsEach * classes || range < kGaps * classes) return;
  throw DataError(fmt::format(
      "{}: has {} different whole numbers among {} labels, from {} to {}; say --task regression if "
      "they are targets, or --task classification if each is a class",
      where, values.size(), labeled, values.front(), values.back()));
}

Index hide_minus_one(ClassLabels& labels) {
  const auto found = std::find(labels.names.begin(), labels.names.end(), "-1");
  if (found == labels.names.end()) return 0;
  const auto hidden = static_cast<std::int32_t>(found - labels.names.begin());
  labels.names.erase(found);
  Index count = 0;
  for (std::int32_t& code : labels.code) {
    if (code == hidden) {
      code = kUnlabeled;
      ++count;
    } else if (code > hidden) {
      --code;
    }
  }
  return count;
}

std::vector<Index> labeled_indices(const Labels& labels) {
  std::vector<Index> result;
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    for (std::size_t i = 0; i < classes->code.size(); ++i) {
      if (classes->code[i] != kUnlabeled) result.push_back(static_cast<Index>(i));
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&labels)) {
    for (Index i = 0; i < targets->values.rows(); ++i) {
      if (!targets->values.row(i).array().isNaN().any()) result.push_back(i);
    }
  }
  return result;
}

Index sample_count(const Labels& labels) {
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    return static_cast<Index>(classes->code.size());
  }
  if (const auto* targets = std::get_if<TargetValues>(&labels)) return targets->values.rows();
  return 0;
}

void keep_only(Labels& labels, std::span<const Index> labeled) {
  const Index count = sample_count(labels);
  std::vector<char> has_label(static_cast<std::size_t>(count), 0);
  for (const Index i : labeled_indices(labels)) has_label[static_cast<std::size_t>(i)] = 1;
  std::vector<char> keep(static_cast<std::size_t>(count), 0);
  for (const Index i : labeled) {
    if (i < 0 || i >= count) {
      throw ValueError(
          fmt::format("labeled sample {} is out of range; the labels are for {} samples, numbered "
                      "from 0",
                      i, count));
    }
    const auto at = static_cast<std::size_t>(i);
    if (keep[at] != 0) throw ValueError(fmt::format("labeled sample {} is listed twice", i));
    if (has_label[at] == 0) {
      throw ValueError(fmt::format("sample {} is listed as labeled but has no label", i));
    }
    keep[at] = 1;
  }
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0) continue;
    if (auto* classes = std::get_if<ClassLabels>(&labels)) classes->code[i] = kUnlabeled;
    if (auto* targets = std::get_if<TargetValues>(&labels)) {
      targets->values.row(static_cast<Index>(i)).setConstant(kNan);
    }
  }
}

Labels labels_of(const Labels& labels, std::span<const Index> samples) {
  const Index count = sample_count(labels);
  if (std::holds_alternative<std::monostate>(labels)) return {};
  for (const Index i : samples) {
    if (i < 0 || i >= count) {
      throw ValueError(fmt::format("sample {} is out of range; the labels are for {}", i, count));
    }
  }
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    ClassLabels result{.names = classes->names, .code = {}, .boolean = classes->boolean};
    for (const Index i : samples) result.code.push_back(classes->code[static_cast<std::size_t>(i)]);
    return result;
  }
  const auto& targets = std::get<TargetValues>(labels);
  TargetValues result{.names = targets.names,
                      .values = Matrix(static_cast<Index>(samples.size()), targets.values.cols())};
  for (std::size_t k = 0; k < samples.size(); ++k) {
    result.values.row(static_cast<Index>(k)) = targets.values.row(samples[k]);
  }
  return result;
}

}  // namespace stkr
