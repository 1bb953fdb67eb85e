#include "dataset/label_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "format/number_text.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

bool is_vector(const NpyArray& array) {
  Index beyond = 1;
  for (std::size_t d = 1; d < array.shape().size(); ++d) beyond *= array.shape()[d];
  return !array.shape().empty() && beyond == 1;
}

// A column of whole numbers; NaN is unlabeled.
ClassLabels classes_from_floats(const Matrix& values, const std::string& where) {
  std::vector<std::optional<std::int64_t>> integers(static_cast<std::size_t>(values.rows()));
  for (Index i = 0; i < values.rows(); ++i) {
    const double value = values(i, 0);
    if (std::isnan(value)) continue;
    integers[static_cast<std::size_t>(i)] = detail::whole(value);
    if (!detail::whole(value)) {
      throw DataError(
          fmt::format("{}: entry {} is {}, expected a whole number for a class; these "
                      "look like regression targets",
                      where, i, value));
    }
  }
  return class_labels(integers);
}

// Returns whether numbers are classes that NumPy stores as floating point, for example because of a
// NaN.
bool look_like_classes(const Matrix& values) {
  return values.cols() == 1 &&
         std::all_of(values.data(), values.data() + values.size(),
                     [](double v) { return std::isnan(v) || detail::whole(v); });
}

}  // namespace

Labels labels_from_array(NpyArray array, Task task) {
  const bool floating = !array.is_integer() && !array.is_text();
  const bool may_be_targets = task == Task::regression || (task == Task::automatic && floating);
  if (may_be_targets && !array.is_text()) {
    if (array.shape().empty() || array.shape().size() > 2) {
      throw DataError(
          fmt::format("{}: has {} dimensions, expected one target or one row of targets "
                      "per sample",
                      array.where(), array.shape().size()));
    }
    // Without samples, nothing bounds the number of targets.
    if (array.header().elements == 0) {
      throw DataError(
          fmt::format("{}: is empty, expected a target for each sample", array.where()));
    }
    Matrix values = array.as_matrix();
    if (task == Task::automatic && look_like_classes(values)) {
      ClassLabels classes = classes_from_floats(values, array.where());
      check_class_numbers(classes, array.where());
      return classes;
    }
    try {
      return target_values(std::move(values), {}, array.where());
    } catch (const ValueError& error) {
      throw DataError(error.what());
    }
  }
  if (!is_vector(array)) {
    throw DataError(
        fmt::format("{}: has {} entries in {} dimensions, expected a vector with one "
                    "class per sample; for several numeric targets use regression",
                    array.where(), array.header().elements, array.shape().size()));
  }
  if (array.is_text()) {
    const std::vector<std::string> cells = array.as_strings();
    if (task == Task::regression) return labels_from_cells(cells, "target", task, array.where());
    return class_labels(cells);
  }
  if (floating) return classes_from_floats(array.as_matrix(), array.where());
  return class_labels(array.as_integers());
}

}  // namespace stkr
