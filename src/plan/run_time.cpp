#include "plan/run_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "linop/csr_operator.hpp"
#include "runtime/random.hpp"
#include "solver/symmetric_eigen.hpp"
#include "specification/kernel_cost.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

namespace stkr {
namespace {

constexpr double kMeasured = 0.03;  // seconds per measurement, at least
// The share of the planned work of iterative solvers that most runs need at least.
constexpr double kLeastShare = 0.2;
constexpr double kStart = 0.05;  // seconds: a process starts, reads and writes

// The shortest time of one call: other programs only make calls slower.
double seconds_of(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  double best = HUGE_VAL, total = 0.0;
  while (total < kMeasured) {
    const auto start = Clock::now();
    call();
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    best = std::min(best, seconds);
    total += std::max(seconds, 1e-6);
  }
  return std::max(best, 1e-7);
}

Matrix random_block(Index rows, Index columns) {
  Random random(1);
  Matrix block(rows, columns);
  for (Index i = 0; i < block.size(); ++i) block.data()[i] = random.normal();
  return block;
}

const PointKernelSpec* evaluated_kernel(const ProblemShape& shape, const Specification& spec,
                                        std::vector<KernelPart>& parts) {
  parts = kernel_parts(shape.kind, spec);
  for (const KernelPart& part : parts) {
    if (const auto* points = part.kernel.get_if<PointKernelSpec>()) return points;
  }
  return nullptr;
}

void measure_evaluations(const ProblemShape& shape, const Kernel& kernel, int threads,
                         Rates& rates) {
  const Index features = std::clamp<Index>(shape.features, 1, 4096);
  const double evaluation = point_gram_cost({shape.samples, shape.features, shape.feature_entries},
                                            false, Tiles::evaluated)
                                .evaluation;
  // About 4·10⁷ operations per product.
  const Index points =
      std::clamp<Index>(static_cast<Index>(std::sqrt(8e7 / evaluation)), 200, 2000);
  const PointGram<double> gram(
      random_block(points, features),
      kernel.has_length_scale() ? kernel.with_length_scale(std::sqrt(static_cast<double>(features)))
                                : kernel,
      threads);
  constexpr Index kMore = 16;  // columns
  const Matrix one = random_block(points, 1), many = random_block(points, 1 + kMore);
  Matrix result(points, 1), results(points, 1 + kMore);
  const double first = seconds_of([&] { gram.apply(one, result); });
  const double all = seconds_of([&] { gram.apply(many, results); });
  const auto n = static_cast<double>(points);
  rates.evaluations = 0.5 * n * (n + 1.0) / first;
  // Values change little in small products of a few columns: never faster than 10¹².
  rates.dense = 2.0 * n * n * static_cast<double>(kMore) / std::max(all - first, 1e-3 * all);
}

void measure_sparse(const ProblemShape& shape, Index entries, int threads, Rates& rates) {
  const Index rows = std::clamp<Index>(shape.samples, 2, 100'000);
  const Index degree = std::clamp<Index>(entries / std::max<Index>(shape.samples, 1), 1, 20);
  Random random(1);
  CsrMatrix matrix{rows, rows, {0}, {}, {}};
  for (Index i = 0; i < rows; ++i) {
    const std::vector<Index> columns = random.sample(rows, std::min(degree, rows));
    for (const Index j : columns) {
      matrix.column.push_back(static_cast<std::int32_t>(j));
      matrix.value.push_back(1.0);
    }
    matrix.row_start.push_back(static_cast<std::int64_t>(matrix.column.size()));
  }
  const auto total = static_cast<double>(matrix.column.size());
  const CsrOperator op(std::move(matrix), 0.0, threads);
  const Index columns = 8;
  const Matrix block = random_block(rows, columns);
  Matrix result(rows, columns);
  rates.sparse =
      2.0 * total * static_cast<double>(columns) / seconds_of([&] { op.apply(block, result); });
}

void measure_pairs(const ProblemShape& shape, const Context& context, Rates& rates) {
  const Index features = std::clamp<Index>(shape.features, 1, 4096);
  const Index points = std::clamp<Index>(40'000'000 / (features + 20) / 1000, 500, 4000);
  const NeighborIndex index(random_block(points, features), {.k = 10}, {.threads = context.threads},
                            "calibration");
  const auto n = static_cast<double>(points);
  rates.pairs = 0.5 * n * n / seconds_of([&] { index.among_themselves(); });
}

void measure_algebra(Rates& rates) {
  constexpr Index kSize = 150;
  const Matrix a = random_block(kSize, kSize);
  const Matrix symmetric = a + a.transpose();
  const double operations = 20.0 * std::pow(static_cast<double>(kSize), 3);
  rates.algebra = operations / seconds_of([&] { symmetric_eigen(symmetric); });
}

// One digit, or two from 10 on: more would claim too much.
std::string amount(double value) {
  if (value < 9.5) return fmt::format("{:.1g}", value);
  const double digit = std::pow(10.0, std::floor(std::log10(value)) - 1.0);
  return fmt::format("{:.0f}", digit * std::round(value / digit));
}

}  // namespace

bool is_dense(const ProblemShape& shape, const Specification& spec) {
  return shape.kind == DatasetKind::points && kernel_cost(shape, spec).entries == 0;
}

Rates measure_rates(const ProblemShape& shape, const Specification& spec, const Context& context) {
  Rates rates;
  std::vector<KernelPart> parts;
  if (const PointKernelSpec* points = evaluated_kernel(shape, spec, parts)) {
    measure_evaluations(shape, points->kernel, context.threads, rates);
  } else if (shape.kind == DatasetKind::kernel) {
    measure_evaluations({.samples = shape.samples, .features = 1}, Kernel::linear(),
                        context.threads, rates);
  }
  const GramCost gram = kernel_cost(shape, spec);
  if (gram.entries > 0) measure_sparse(shape, gram.entries, context.threads, rates);
  if (gram.pairs > 0.0) measure_pairs(shape, context, rates);
  measure_algebra(rates);
  return rates;
}

double RunTime::middle() const { return std::sqrt(least * most); }

RunTime& RunTime::operator+=(const RunTime& other) {
  least += other.least;
  most += other.most;
  return *this;
}

RunTime run_time(const ProblemShape& shape, const Specification& spec, const Work& work,
                 const Rates& rates) {
  const GramCost gram = kernel_cost(shape, spec);
  const double products = std::max(0.0, work.operations - work.evaluations * gram.evaluation) /
                          (gram.entries > 0 ? rates.sparse : rates.dense);
  const double iterated = products + work.evaluations / rates.evaluations;
  // What does not depend on the number of steps, give or take a half.
  const double fixed = kStart + work.pairs / rates.pairs + work.algebra / rates.algebra;
  return {.least = kLeastShare * iterated + fixed / 1.5, .most = iterated + 1.5 * fixed};
}

std::string describe(const RunTime& time) {
  if (time.most < 1.0) return "less than a second";
  const double unit = time.middle() < 90.0 ? 1.0 : time.middle() < 5400.0 ? 60.0 : 3600.0;
  const char* name = unit == 1.0 ? "s" : unit == 60.0 ? "minutes" : "hours";
  const std::string least = amount(time.least / unit), most = amount(time.most / unit);
  return least == most ? fmt::format("about {} {}", most, name)
                       : fmt::format("about {} to {} {}", least, most, name);
}

}  // namespace stkr
