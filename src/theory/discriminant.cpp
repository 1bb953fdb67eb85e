#include "stkr/theory/discriminant.hpp"

#include <fmt/format.h>

#include <map>

#include "solver/symmetric_eigen.hpp"
#include "stkr/error.hpp"

namespace stkr {

Discriminant discriminant(ConstMatrixRef scores, std::span<const Index> classes) {
  if (scores.rows() != static_cast<Index>(classes.size())) {
    throw ShapeError(
        fmt::format("discriminant: {} rows of scores and {} classes; expected one "
                    "class per row",
                    scores.rows(), classes.size()));
  }
  struct Group {
    Index count = 0;
    Vector sum;
  };
  std::map<Index, Group> groups;
  Index count = 0;
  Vector mean = Vector::Zero(scores.cols());
  for (Index i = 0; i < scores.rows(); ++i) {
    if (classes[i] < 0) continue;
    if (!scores.row(i).allFinite()) {
      throw ValueError(
          fmt::format("discriminant: the scores of sample {} are not finite; expected numbers", i));
    }
    Group& group = groups[classes[i]];
    if (group.count == 0) group.sum = Vector::Zero(scores.cols());
    ++group.count;
    ++count;
    group.sum += scores.row(i).transpose();
    mean += scores.row(i).transpose();
  }
  if (count == 0) {
    throw ValueError(
        "discriminant: no sample has a class; expected some with a class of 0 or more");
  }
  mean /= static_cast<double>(count);
  const Index columns = scores.cols();
  Matrix total = Matrix::Zero(columns, columns), between = total;
  for (Index i = 0; i < scores.rows(); ++i) {
    if (classes[i] < 0) continue;
    const Vector d = scores.row(i).transpose() - mean;
    total += d * d.transpose();
  }
  for (const auto& [name, group] : groups) {
    const Vector d = group.sum / static_cast<double>(group.count) - mean;
    between += static_cast<double>(group.count) * d * d.transpose();
  }
  Discriminant result{.share = Vector::Zero(columns)};
  result.classes = static_cast<Index>(groups.size());
  // Scores that are constant up to rounding vary by nothing.
  const double least =
      1e-26 * static_cast<double>(count) * (mean.cwiseAbs2().sum() + total.trace() / count);
  for (Index j = 0; j < columns; ++j) {
    if (total(j, j) > least) result.share[j] = between(j, j) / total(j, j);
  }
  if (total.trace() <= least) return result;
  result.overall = between.trace() / total.trace();
  const SymmetricEigen eigen = symmetric_eigen(total);
  for (Index k = 0; k < columns; ++k) {
    if (eigen.values[k] <= 1e-12 * eigen.values[0]) continue;  // dependent columns
    const Vector u = eigen.vectors.col(k);
    result.ratio_trace += u.dot(between * u) / eigen.values[k];
  }
  return result;
}

}  // namespace stkr
