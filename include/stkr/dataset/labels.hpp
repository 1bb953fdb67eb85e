#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

inline constexpr std::int32_t kUnlabeled = -1;

// One class per sample.
struct ClassLabels {
  std::vector<std::string> names;  // ascending, by value if all are integers, else as text
  std::vector<std::int32_t> code;  // index into names, or kUnlabeled; one per sample
  bool boolean = false;            // the names are Python's False and True

  bool operator==(const ClassLabels&) const = default;
};

// Regression targets. A sample is unlabeled if its row is NaN.
struct TargetValues {
  std::vector<std::string> names;  // one per column
  Matrix values;                   // N × targets
};

using Labels = std::variant<std::monostate, ClassLabels, TargetValues>;

// How labels are interpreted. `automatic`: text and whole numbers are classes, also if a NumPy
// array with NaN stores the whole numbers as floating point; numbers that are not all whole are
// regression targets, and so are several columns of numbers.
enum class Task { automatic, classification, regression };

// Takes the cells of a text column. A cell is unlabeled if it is empty or one of the marks
// `missing`; without marks, if it holds nan or null in any case, NA, N/A, <NA>, #N/A or None.
// Messages start with `where`. Throws DataError for many different whole numbers unless `task` says
// whether they are classes or targets.
Labels labels_from_cells(std::span<const std::string> cells, const std::string& column, Task task,
                         const std::string& where, std::span<const std::string> missing = {});
// Takes the cells of several columns, sample by sample: regression targets.
Labels labels_from_cells(std::span<const std::string> cells, std::span<const std::string> columns,
                         Task task, const std::string& where,
                         std::span<const std::string> missing = {});

// Throws DataError, starting with `where`, if whole numbers are probably targets rather than
// classes: more than 20 different ones with gaps between them, less than five labels for each.
void check_class_numbers(const ClassLabels& labels, const std::string& where);

// Names are the texts as given, or integers if all of them are ("+1", "1" and "1.0" are one class).
ClassLabels class_labels(std::span<const std::string> cells,
                         std::span<const std::string> missing = {});
ClassLabels class_labels(std::span<const std::int64_t> values);
ClassLabels class_labels(std::span<const std::optional<std::int64_t>> values);  // none: unlabeled

// Throws ValueError for infinite values and for rows that are partly NaN.
TargetValues target_values(Matrix values, std::vector<std::string> names, const std::string& where);

// Makes samples of class "-1" unlabeled: the convention without an index of labeled samples.
// Returns the number of these samples.
Index hide_minus_one(ClassLabels& labels);

// Makes all samples but the given ones unlabeled. Class names stay, so codes keep their meaning.
// Throws ValueError if an index is out of range, occurs twice, or is an unlabeled sample.
void keep_only(Labels& labels, std::span<const Index> labeled);

std::vector<Index> labeled_indices(const Labels& labels);

// The number of samples, labeled or not; 0 without labels.
Index sample_count(const Labels& labels);

// Returns the labels of the given samples, in that order, with the same class names.
Labels labels_of(const Labels& labels, std::span<const Index> samples);

}  // namespace stkr
