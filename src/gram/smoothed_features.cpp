#include "gram/smoothed_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "cross_kernels.hpp"
#include "gram/sparse_row.hpp"
#include "graph_scaling.hpp"
#include "linop/csr_product.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

// Columns of X that are smoothed at a time, and nodes whose rows are held at a time.
constexpr Index strip_columns = 32;
constexpr Index rows_at_a_time = 64;
constexpr Index feature_rows_per_task = 8;

void check_steps(Index steps) {
  // After that many, all nodes of a connected component are alike.
  constexpr Index most = 1000;
  if (steps >= 0 && steps <= most) return;
  throw ValueError(
      fmt::format("smooth = {}; expected 0 (the features themselves) to {}", steps, most));
}

// At least ‖X‖²: the smaller of Σ x² and the product of the largest row and column sums.
double squared_norm(const CsrMatrix& matrix, const CsrMatrix& transposed) {
  const auto largest_sum = [](const CsrMatrix& rows) {
    double largest = 0.0;
    for (Index i = 0; i < rows.rows; ++i) {
      double sum = 0.0;
      visit_row(rows, i, [&](Index, double value) { sum += std::abs(value); });
      largest = std::max(largest, sum);
    }
    return largest;
  };
  double squares = 0.0;
  for (const double value : matrix.value) squares += value * value;
  return std::min(squares, largest_sum(matrix) * largest_sum(transposed));
}

}  // namespace

SmoothedFeatures::SmoothedFeatures(const CsrMatrix& weights,
                                   std::shared_ptr<const CsrMatrix> features, Index steps,
                                   bool unit_rows, int threads, const Vector* squares)
    : features_(std::move(features)), steps_(steps), unit_rows_(unit_rows), threads_(threads) {
  const char* who = "node features";
  check_steps(steps);
  if (weights.rows != weights.cols || features_->rows != weights.rows) {
    throw ShapeError(
        fmt::format("{}: the weights are {} x {} and the features {} x {}; expected a square "
                    "matrix and one row of features per node, in the same order",
                    who, weights.rows, weights.cols, features_->rows, features_->cols));
  }
  check_csr(*features_, who);
  if (std::all_of(features_->value.begin(), features_->value.end(),
                  [](double value) { return value == 0.0; })) {
    throw ValueError(
        fmt::format("{}: all features of the {} nodes are 0, so there is nothing to learn from; "
                    "give other features, or omit their kernel",
                    who, features_->rows));
  }
  if (steps > 0) {
    check_csr(weights, who);
    check_weights(weights, who);
    walk_ = with_self_loops(weights);
    degree_ = row_sums(walk_);
    check_degrees(degree_, "graph: node");
    const Vector factor = degree_.cwiseSqrt().cwiseInverse();
    for (Index i = 0; i < walk_.rows; ++i) {
      for (std::int64_t p = walk_.row_start[i]; p < walk_.row_start[i + 1]; ++p) {
        const Index j = walk_.column[p];
        // The smaller index comes first so that both directions of an edge round the same way.
        walk_.value[p] *= factor[std::min(i, j)] * factor[std::max(i, j)];
      }
    }
  } else {
    walk_.rows = walk_.cols = weights.rows;
    walk_.row_start.assign(weights.rows + 1, 0);
  }
  finish();
  if (unit_rows_) set_unit_rows(squares);
}

void SmoothedFeatures::finish() {
  transposed_ = transpose(*features_);
  nonnegative_ = std::all_of(features_->value.begin(), features_->value.end(),
                             [](double value) { return value >= 0.0; });
  walk_counts_ = row_counts(walk_);
  feature_counts_ = row_counts(*features_);
  // ‖S̃‖ = 1, so ‖Φ‖ ≤ ‖X‖; N rows of length 1 have ‖Φ‖² ≤ N.
  bound_ = unit_rows_ ? static_cast<double>(size()) : squared_norm(*features_, transposed_);
  if (!std::isfinite(bound_)) {
    throw ValueError(
        "node features: the squares of the features overflow; divide them by the largest");
  }
}

std::map<Index, Vector> SmoothedFeatures::row_squares(const CsrMatrix& weights,
                                                      std::shared_ptr<const CsrMatrix> features,
                                                      const std::vector<Index>& steps,
                                                      int threads) {
  std::map<Index, Vector> result;
  for (const Index k : steps) result[k] = Vector::Zero(weights.rows);
  if (result.empty()) return result;
  const SmoothedFeatures most(weights, std::move(features), result.rbegin()->first, false, threads);
  most.for_each_strip(/*all=*/true, [&](Index, Index k, const Matrix& strip) {
    const auto found = result.find(k);
    if (found != result.end()) found->second += strip.rowwise().squaredNorm();
  });
  return result;
}

void SmoothedFeatures::set_unit_rows(const Vector* given) {
  Vector squares = given ? *given : Vector::Zero(size());
  if (!given) {
    for_each_strip(/*all=*/false, [&](Index, Index, const Matrix& strip) {
      squares += strip.rowwise().squaredNorm();
    });
  }
  for (Index i = 0; i < size(); ++i) {
    if (!std::isfinite(squares[i])) {
      throw ValueError(
          fmt::format("node features: the squared norm of node {} overflows; divide the "
                      "features by the largest",
                      i));
    }
  }
  scale_ = squares.unaryExpr([](double s) { return s > 0.0 ? 1.0 / std::sqrt(s) : 0.0; });
  empty_rows_ = (squares.array() == 0.0).count();
}

void SmoothedFeatures::smooth(Matrix& block) const {
  if (steps_ == 0) return;
  Matrix next(block.rows(), block.cols());
  for (Index step = 0; step < steps_; ++step) {
    stkr::multiply(walk_, block, next, threads_);
    block.swap(next);
  }
}

void SmoothedFeatures::for_each_strip(
    bool all, const std::function<void(Index, Index, const Matrix&)>& visit) const {
  for (Index first = 0; first < features(); first += strip_columns) {
    const Index count = std::min(strip_columns, features() - first);
    Matrix strip = Matrix::Zero(size(), count);
    for (Index j = 0; j < count; ++j) {
      visit_row(transposed_, first + j, [&](Index i, double value) { strip(i, j) = value; });
    }
    Matrix next(size(), all || steps_ > 0 ? count : 0);
    for (Index step = 0; step <= steps_; ++step) {
      if (all || step == steps_) visit(first, step, strip);
      if (step == steps_) break;
      stkr::multiply(walk_, strip, next, threads_);
      strip.swap(next);
    }
  }
}

Matrix SmoothedFeatures::dense() const {
  Matrix result(size(), features());
  for_each_strip(/*all=*/false, [&](Index first, Index, const Matrix& strip) {
    result.middleCols(first, strip.cols()) = strip;
  });
  if (unit_rows_) result = scale_.asDiagonal() * result;
  return result;
}

void SmoothedFeatures::multiply(ConstMatrixRef v, MatrixRef y) const {
  for (Index first = 0; first < v.cols(); first += strip_columns) {
    const Index count = std::min(strip_columns, v.cols() - first);
    Matrix block(size(), count);
    stkr::multiply(*features_, v.middleCols(first, count), block, threads_);
    smooth(block);
    if (unit_rows_) {
      y.middleCols(first, count) = scale_.asDiagonal() * block;
    } else {
      y.middleCols(first, count) = block;
    }
  }
}

Matrix SmoothedFeatures::multiply_transposed(ConstMatrixRef x) const {
  Matrix result(features(), x.cols());
  for (Index first = 0; first < x.cols(); first += strip_columns) {
    const Index count = std::min(strip_columns, x.cols() - first);
    Matrix block = x.middleCols(first, count);
    if (unit_rows_) block = scale_.asDiagonal() * block;
    smooth(block);
    stkr::multiply(transposed_, block, result.middleCols(first, count), threads_);
  }
  return result;
}

Matrix SmoothedFeatures::rows(std::span<const Index> samples) const {
  Matrix result = Matrix::Zero(static_cast<Index>(samples.size()), features());
  parallel_chunks(result.rows(), feature_rows_per_task, threads_, [&](Index begin, Index end) {
    SparseRow now(size()), next(size());
    for (Index r = begin; r < end; ++r) {
      now.clear();
      now.add(samples[r], 1.0);
      for (Index step = 0; step < steps_; ++step) {
        multiply_row(now, walk_, next);
        std::swap(now, next);
      }
      const double scale = unit_rows_ ? scale_[samples[r]] : 1.0;
      now.visit([&](Index node, double weight) {
        visit_row(*features_, node,
                  [&](Index j, double value) { result(r, j) += scale * weight * value; });
      });
    }
  });
  return result;
}

SmoothedFeatures::NewNodes SmoothedFeatures::place(const NewSamples& samples,
                                                   const char* who) const {
  const NewSamples* given = &samples;
  NewNodes nodes;
  if (steps_ > 0) {
    const auto* parts = std::get_if<std::vector<NewSamples>>(&samples.data);
    if (parts == nullptr || parts->size() != 2) {
      throw ValueError(fmt::format(
          "{}: a kernel of smoothed features places new nodes by their edges to the known nodes "
          "and their features; pass both, in this order",
          who));
    }
    nodes.walk = expect_csr((*parts)[0], who, "edges to the known nodes as a sparse matrix");
    given = &(*parts)[1];
  }
  if (const auto* matrix = std::get_if<Matrix>(&given->data)) {
    if (!matrix->allFinite()) {
      throw ValueError(fmt::format("{}: the features of new nodes must be finite", who));
    }
    nodes.features = sparse_of(*matrix);
  } else {
    nodes.features = expect_csr(*given, who, "features as a matrix");
    check_csr(nodes.features, who);
  }
  if (nodes.features.cols != features()) {
    throw ShapeError(fmt::format("{}: the new nodes have {} features but the known ones have {}",
                                 who, nodes.features.cols, features()));
  }
  const Index count = nodes.features.rows;
  nodes.own = Vector::Ones(count);
  if (steps_ > 0) {
    CsrMatrix& walk = nodes.walk;
    if (walk.cols != size() || walk.rows != count) {
      throw ShapeError(fmt::format(
          "{}: the edges are {} x {} and the features {} x {} for {} known nodes; pass one row of "
          "each per new node, and one column of edges per known node",
          who, walk.rows, walk.cols, count, nodes.features.cols, size()));
    }
    check_csr(walk, who);
    check_weights(walk, who);
    const Vector degree = row_sums(walk).array() + 1.0;
    check_degrees(degree, "new node");
    nodes.own = degree.cwiseInverse();
    for (Index i = 0; i < count; ++i) {
      for (std::int64_t p = walk.row_start[i]; p < walk.row_start[i + 1]; ++p) {
        walk.value[p] /= std::sqrt(degree[i]) * std::sqrt(degree_[walk.column[p]]);
      }
    }
  }
  nodes.scale = Vector::Ones(count);
  if (!unit_rows_) return nodes;
  for (Index first = 0; first < count; first += rows_at_a_time) {
    const Index some = std::min(rows_at_a_time, count - first);
    nodes.scale.segment(first, some) =
        unscaled_rows(nodes, first, some).rowwise().norm().unaryExpr([](double r) {
          return r > 0.0 ? 1.0 / r : 0.0;
        });
  }
  return nodes;
}

Matrix SmoothedFeatures::unscaled_rows(const NewNodes& nodes, Index first, Index count) const {
  Matrix result = Matrix::Zero(count, features());
  parallel_chunks(count, feature_rows_per_task, threads_, [&](Index begin, Index end) {
    SparseRow now(size()), next(size()), sum(size());
    for (Index r = begin; r < end; ++r) {
      const Index node = first + r;
      // φ = own^k X_x + Σ_j own^(k-1-j) S̃(x,·) S̃^j X
      now.clear();
      sum.clear();
      if (steps_ > 0) {
        visit_row(nodes.walk, node, [&](Index j, double value) { now.add(j, value); });
      }
      for (Index step = 0; step < steps_; ++step) {
        sum.scale(nodes.own[node]);
        now.visit([&](Index j, double value) { sum.add(j, value); });
        if (step + 1 == steps_) break;
        multiply_row(now, walk_, next);
        std::swap(now, next);
      }
      const double own = std::pow(nodes.own[node], static_cast<double>(steps_));
      visit_row(nodes.features, node, [&](Index j, double value) { result(r, j) += own * value; });
      sum.visit([&](Index known, double weight) {
        visit_row(*features_, known,
                  [&](Index j, double value) { result(r, j) += weight * value; });
      });
    }
  });
  return result;
}

Matrix SmoothedFeatures::rows(const NewNodes& nodes) const {
  return nodes.scale.asDiagonal() * unscaled_rows(nodes, 0, nodes.features.rows);
}

Matrix SmoothedFeatures::multiply(const NewNodes& nodes, ConstMatrixRef v) const {
  Matrix result(nodes.features.rows, v.cols());
  for (Index first = 0; first < v.cols(); first += strip_columns) {
    const Index count = std::min(strip_columns, v.cols() - first);
    Matrix here(nodes.features.rows, count);
    stkr::multiply(nodes.features, v.middleCols(first, count), here, threads_);
    if (steps_ > 0) {
      Matrix known(size(), count), next(size(), count), there(here.rows(), count);
      stkr::multiply(*features_, v.middleCols(first, count), known, threads_);
      for (Index step = 0; step < steps_; ++step) {
        stkr::multiply(nodes.walk, known, there, threads_);
        here = nodes.own.asDiagonal() * here;
        here += there;
        if (step + 1 == steps_) break;
        stkr::multiply(walk_, known, next, threads_);
        known.swap(next);
      }
    }
    result.middleCols(first, count) = nodes.scale.asDiagonal() * here;
  }
  return result;
}

void SmoothedFeatures::save(CrossKernelSink& sink) const {
  sink.number("steps", static_cast<double>(steps_));
  sink.number("unit_rows", unit_rows_ ? 1.0 : 0.0);
  save_csr(sink, "walk", walk_, walk_counts_);
  save_csr(sink, "features", *features_, feature_counts_);
  if (steps_ > 0) save_vector(sink, "degree", degree_);
  if (unit_rows_) save_vector(sink, "scale", scale_);
}

std::shared_ptr<const SmoothedFeatures> SmoothedFeatures::load(CrossKernelSource& source) {
  const std::shared_ptr<SmoothedFeatures> result(new SmoothedFeatures);
  result->threads_ = source.threads();
  result->steps_ = load_count(source, "steps");
  check_steps(result->steps_);
  result->unit_rows_ = load_count(source, "unit_rows") != 0;
  result->walk_ = load_csr(source, "walk");
  result->features_ = std::make_shared<const CsrMatrix>(load_csr(source, "features"));
  const Index nodes = result->walk_.rows;
  // The transpose has an entry per column: a small damaged file must not exhaust the memory.
  if (result->features_->cols / 2048 > result->features_->entries() + 4096) {
    throw DataError(fmt::format("saved smoothed features: {} features with {} values",
                                result->features_->cols, result->features_->entries()));
  }
  bool matches = result->walk_.cols == nodes && result->features_->rows == nodes;
  if (result->steps_ > 0) {
    result->degree_ = load_vector(source, "degree");
    matches = matches && result->degree_.size() == nodes && result->degree_.allFinite() &&
              (result->degree_.array() >= 1.0).all();
  }
  if (result->unit_rows_) {
    result->scale_ = load_vector(source, "scale");
    matches = matches && result->scale_.size() == nodes && result->scale_.allFinite() &&
              (result->scale_.array() >= 0.0).all();
  }
  if (!matches) {
    throw DataError(
        "saved smoothed features: the graph, the features and the scales contradict "
        "each other");
  }
  result->finish();
  return result;
}

}  // namespace stkr
