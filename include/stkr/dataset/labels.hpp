#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stkr/dataset/npy.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

inline constexpr std::int32_t kUnlabeled = -1;

// One of several classes per sample.
struct ClassLabels {
  std::vector<std::string> names;  // ascending by value when all are integers, else as text
  std::vector<std::int32_t> code;  // index into names, or kUnlabeled; one per sample
  bool boolean = false;            // the names are those of truth values, as Python has them

  bool operator==(const ClassLabels&) const = default;
};

// Numbers to predict. A sample is unlabeled when its row is NaN.
struct TargetValues {
  std::vector<std::string> names;  // one per column
  Matrix values;                   // N × targets
};

using Labels = std::variant<std::monostate, ClassLabels, TargetValues>;

// What labels are taken for. `automatic`: whole numbers and text are classes, whether an array is
// of integers or, as NumPy has it where some are NaN, of floating point; numbers of which one is
// not whole are targets, and so are several columns of them.
enum class Task { automatic, classification, regression };

// An integer or text vector, or a floating-point vector or matrix. NaN and texts as below are
// unlabeled. -1 is a class like any other: see hide_minus_one.
Labels labels_from_array(NpyArray array, Task task = Task::automatic);

// The cells of a text column. An empty cell is unlabeled, and so is one that holds nan or null in
// any case, NA, N/A or <NA>. Messages start with `where`.
Labels labels_from_cells(std::span<const std::string> cells, const std::string& column, Task task,
                         const std::string& where);
// Of several columns, the cells of a sample together: they are targets.
Labels labels_from_cells(std::span<const std::string> cells, std::span<const std::string> columns,
                         Task task, const std::string& where);

// Texts as they are, or as integers when all of them are ("+1", "1" and "1.0" are one class).
ClassLabels class_labels(std::span<const std::string> cells);
ClassLabels class_labels(std::span<const std::int64_t> values);

// Throws ValueError for infinities and for rows that are only partly NaN.
TargetValues target_values(Matrix values, std::vector<std::string> names, const std::string& where);

// Makes the class "-1" mean unlabeled, as is the convention where no index of labeled samples is
// given. Returns how many samples that concerns.
Index hide_minus_one(ClassLabels& labels);

// Only the given samples stay labeled; class names stay, so codes keep their meaning. Throws
// ValueError where an index is out of range, occurs twice, or has no label to keep.
void keep_only(Labels& labels, std::span<const Index> labeled);

std::vector<Index> labeled_indices(const Labels& labels);

// The number of samples, labeled or not; 0 for none.
Index sample_count(const Labels& labels);

// The labels of the given samples, in that order, with the same class names.
Labels labels_of(const Labels& labels, std::span<const Index> samples);

}  // namespace stkr
