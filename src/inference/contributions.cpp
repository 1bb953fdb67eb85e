#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/label_rows.hpp"
#include "inference/term_system.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr {
namespace {

std::vector<Index> all_samples(Index size) {
  std::vector<Index> result(static_cast<std::size_t>(size));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

// K°(x, x_j) of one sample over the known ones.
Eigen::RowVectorXd kernel_row(const FittedSystem& system, Index sample) {
  const Index own[] = {sample};
  Eigen::RowVectorXd row = system.gram->block(own, all_samples(system.size()));
  row[sample] -= static_cast<double>(system.size()) * system.gram->self_term();
  return row;
}

Eigen::RowVectorXd kernel_row(const FittedSystem& system, const PlacedSamples& placed) {
  constexpr Index kColumnsOfRow = 512;
  Eigen::RowVectorXd row(system.size());
  for_batches(system.size(), kColumnsOfRow, [&](Index first, Index count) {
    Matrix e = Matrix::Zero(system.size(), count);
    for (Index k = 0; k < count; ++k) e(first + k, k) = 1.0;
    row.segment(first, count) = placed.apply(e);
  });
  return row;
}

template <class Sample>
Contributions explain(const FittedSystem& system, const Sample& sample, Index through,
                      const Context& context, const auto& row_of, std::optional<Index> known) {
  check_system(system, "contributions");
  const Matrix& y = system.targets.y;
  const LabelRows rows(system, sample);
  if (rows.count() != 1) throw ShapeError("contributions: one sample at a time");
  Contributions result;
  result.by_label = Matrix::Zero(y.rows(), y.cols());
  result.constant = Vector::Zero(y.cols());
  Matrix coefficients = Matrix::Zero(system.size(), y.cols());
  const bool single = system.terms.size() == 1 && system.terms.front().parts.size() == 1;
  Matrix alpha, labeled;
  for_terms(system, context, [&](const TermSystem& term) {
    const Eigen::RowVectorXd k = rows(term);
    for (const TermRidge& ridge : term.ridges()) {
      alpha = ridge.solution.response * y;
      result.by_label += ridge.weight * k.transpose().asDiagonal() * alpha;
      result.constant += ridge.weight * y.transpose() * ridge.solution.offset;
      coefficients += ridge.weight * term.fresh() * alpha;
    }
    labeled = term.labeled();
  });
  if (const auto* numbers = std::get_if<TargetDecision>(&system.targets.decision)) {
    result.constant = numbers->mean;  // it contains the free constant
  }
  result.score = result.by_label.colwise().sum().transpose() + result.constant;
  if (single && y.cols() > 1 && std::holds_alternative<ClassDecision>(system.targets.decision)) {
    Index best = 0, second = 0;
    result.score.maxCoeff(&best);
    Vector others = result.score;
    others[best] = -std::numeric_limits<double>::infinity();
    others.maxCoeff(&second);
    const Vector difference = alpha.col(best) - alpha.col(second);
    const double norm = std::sqrt(std::max(0.0, difference.dot(labeled * difference)));
    if (norm > 0.0) result.radius = (result.score[best] - result.score[second]) / norm;
  }
  const bool own_term =
      known && system.gram->self_term() != 0.0 &&
      std::count(system.targets.labeled.begin(), system.targets.labeled.end(), *known) > 0;
  if (through > 0 && !own_term) {
    const Eigen::RowVectorXd row = row_of(rows);
    std::vector<Index> order = all_samples(system.size());
    const auto size_of = [&](Index j) {
      return std::abs(row[j]) * coefficients.row(j).cwiseAbs().maxCoeff();
    };
    const auto most = std::min<std::size_t>(static_cast<std::size_t>(through), order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(most), order.end(),
                      [&](Index a, Index b) {
                        const double x = size_of(a), z = size_of(b);
                        return x != z ? x > z : a < b;
                      });
    order.resize(most);
    std::erase_if(order, [&](Index j) { return size_of(j) == 0.0; });
    result.by_sample.resize(static_cast<Index>(order.size()), y.cols());
    for (std::size_t k = 0; k < order.size(); ++k) {
      result.by_sample.row(static_cast<Index>(k)) = row[order[k]] * coefficients.row(order[k]);
    }
    result.through = std::move(order);
  }
  return result;
}

}  // namespace

Contributions contributions(const FittedSystem& system, Index sample, Index through,
                            const Context& context) {
  const Index own[] = {sample};
  return explain(
      system, std::span<const Index>(own), through, context,
      [&](const LabelRows&) { return kernel_row(system, sample); }, sample);
}

Contributions contributions(const FittedSystem& system, const NewSamples& sample, Index through,
                            const Context& context) {
  return explain(
      system, sample, through, context,
      [&](const LabelRows& rows) { return kernel_row(system, *rows.placed()); }, std::nullopt);
}

std::vector<Index> strongest_path(const FittedSystem& system, Index sample, Index label_position,
                                  Index most, const Context& context) {
  check_system(system, "path");
  if (label_position < 0 || label_position >= system.labels()) {
    throw ValueError(fmt::format("path: label {} of {}", label_position, system.labels()));
  }
  // K̂_s of the term with the largest weight to the label: how strongly the label acts anywhere.
  Vector strength;
  double heaviest = 0.0;
  for_terms(system, context, [&](const TermSystem& term) {
    double weight = 0.0;
    for (const TermRidge& ridge : term.ridges()) weight += ridge.weight;
    if (weight <= heaviest) return;
    heaviest = weight;
    strength = term.known().col(label_position);
  });
  const Index target = system.targets.labeled[static_cast<std::size_t>(label_position)];
  std::vector<Index> path{sample};
  std::vector<char> visited(static_cast<std::size_t>(system.size()), 0);
  while (path.back() != target) {
    if (static_cast<Index>(path.size()) > most) return {};
    visited[static_cast<std::size_t>(path.back())] = 1;
    const Eigen::RowVectorXd row = kernel_row(system, path.back());
    Index next = -1;
    double best = 0.0;
    for (Index j = 0; j < system.size(); ++j) {
      if (visited[static_cast<std::size_t>(j)] || !(row[j] > 0.0)) continue;
      if (j == target) {
        next = j;
        break;
      }
      if (const double value = row[j] * strength[j]; value > best) {
        best = value;
        next = j;
      }
    }
    if (next < 0) return {};
    path.push_back(next);
  }
  return path;
}

}  // namespace stkr
