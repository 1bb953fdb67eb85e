#include "estimator/labeled_system.hpp"

#include <algorithm>
#include <numeric>

#include "linop/saved_state.hpp"
#include "runtime/progress_counter.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "transform/operator_polynomial.hpp"

namespace stkr {

LabeledSystem::LabeledSystem(const GramOperator& gram, const SpectralAction& action,
                             std::vector<Index> labeled, double beta, const Vector& label_weights)
    : gram_(gram),
      action_(action),
      labeled_(std::move(labeled)),
      shift_(static_cast<double>(labeled_.size()) * beta),
      root_(label_weights.cwiseSqrt()) {
  const auto polynomial = action.transform().polynomial_coefficients();
  if (polynomial) {
    polynomial_.emplace(1, 0.0);
    polynomial_->insert(polynomial_->end(), polynomial->begin(), polynomial->end());
  }
  if (!polynomial || polynomial->size() != 1 || gram.shared_rows()) return;
  ascending_.resize(labeled_.size());
  std::iota(ascending_.begin(), ascending_.end(), Index{0});
  std::sort(ascending_.begin(), ascending_.end(),
            [&](Index a, Index b) { return labeled_[a] < labeled_[b]; });
  std::vector<Index> samples;
  for (const Index k : ascending_) samples.push_back(labeled_[k]);
  own_ =
      gram.restricted(std::move(samples), polynomial->front() * static_cast<double>(gram.size()));
}

void LabeledSystem::apply(ConstMatrixRef alpha, MatrixRef u) const {
  apply_in(Precision::full, alpha, u);
}

void LabeledSystem::apply_roughly(ConstMatrixRef alpha, MatrixRef u) const {
  apply_in(Precision::rough, alpha, u);
}

RoughProducts LabeledSystem::rough() const {
  return own_ ? own_->rough() : polynomial_ ? gram_.rough() : RoughProducts{};
}

void LabeledSystem::apply_in(Precision precision, ConstMatrixRef alpha, MatrixRef u) const {
  check_apply_shapes(*this, alpha, u, "LabeledSystem::apply");
  if (root_.size() == 0) {
    apply_kernel(precision, alpha, u);
  } else {
    apply_kernel(precision, root_.asDiagonal() * alpha, u);
    u = (root_.asDiagonal() * u).eval();
  }
  u += shift_ * alpha;
}

void LabeledSystem::apply_kernel(Precision precision, ConstMatrixRef alpha, MatrixRef u) const {
  const auto multiply = [&](const LinearOperator& op, const Matrix& x) {
    Matrix y(x.rows(), x.cols());
    precision == Precision::rough ? op.apply_roughly(x, y) : op.apply(x, y);
    return y;
  };
  if (own_) {
    action_.check_cancelled();
    u = scatter_rows(multiply(*own_, gather_rows(alpha, ascending_)), ascending_, size());
    return;
  }
  const auto size = static_cast<double>(gram_.size());
  const auto e_alpha = ResidentBlock::scattered(gram_, alpha, labeled_);
  const auto at_labels = [&](const ResidentBlock& y) {
    return y.rows_at(gram_.shared_rows(), labeled_);
  };
  if (precision == Precision::rough) {
    action_.check_cancelled();
    const OperatorPolynomial s(gram_, *polynomial_);
    u = size * at_labels(product_roughly(s, e_alpha));
  } else {
    // u = N Eᵀ S g(S) E α
    u = at_labels(product(gram_, action_.known(e_alpha), size));
  }
}

namespace {

// N S E for these samples E. Those of a graph on a device are a product, which takes less time than
// their way there; a product of a kernel of points evaluates N values per sample.
ResidentBlock gram_columns(const GramOperator& gram, std::span<const Index> samples) {
  if (!gram.on_device() || !gram.sparse()) return ResidentBlock::of(gram, gram.columns(samples));
  const auto count = static_cast<Index>(samples.size());
  return product(gram, ResidentBlock::scattered(gram, Matrix::Identity(count, count), samples),
                 static_cast<double>(gram.size()));
}

}  // namespace

Matrix transformed_gram(const GramOperator& gram, const SpectralAction& action,
                        std::span<const Index> labeled, std::size_t block_bytes,
                        SavedState* saved) {
  const auto n = static_cast<Index>(labeled.size());
  Matrix result(n, n);
  const auto polynomial = action.transform().polynomial_coefficients();
  if (polynomial && polynomial->size() == 1) {
    return polynomial->front() * gram.block(labeled, labeled);
  }
  // N × n may not fit in memory.
  const SharedRows* rows = gram.shared_rows();
  const Index most_rows = rows ? rows->most() : gram.size();
  const auto column_bytes = std::max<Index>(most_rows, 1) * Index{sizeof(double)};
  const Index batch = std::clamp<Index>(static_cast<Index>(block_bytes) / column_bytes, 1, n);
  Matrix done = Matrix::Zero(1, 1);  // columns
  const std::string name = saved ? saved->next_name("system") : "";
  if (auto found = saved ? saved->find(name, {}) : std::nullopt) {
    result = std::move((*found)[0]);
    done = std::move((*found)[1]);
  }
  const auto steps = static_cast<Index>(polynomial ? polynomial->size() : 1);
  ProgressCounter counter(action.progress(), "system", steps * ((n + batch - 1) / batch));
  // The labeled rows of these columns.
  const auto rows_of = [&](std::span<const Index> columns) -> Matrix {
    // Algorithm 3 with M_1 = G_{K,n+m,n} and M_p = S M_{p-1}. The printed update
    // A += π_p/(n+m) Gᵀ M_{p-1} is π_p times the labeled rows of M_p: one product serves both.
    ResidentBlock m = gram_columns(gram, columns);
    // N Eᵀ g(S) S E: g and S commute, and N S E are the kernel's columns.
    if (!polynomial) return action.known(m).rows_at(rows, labeled);
    Matrix block = polynomial->front() * m.rows_at(rows, labeled);
    for (std::size_t p = 1; p < polynomial->size(); ++p) {
      action.check_cancelled();
      m = product(gram, m);
      block += (*polynomial)[p] * m.rows_at(rows, labeled);
      counter.add();
    }
    return block;
  };
  const auto keep = [&](Index columns) {
    done(0, 0) = static_cast<double>(columns);
    saved->save(name, std::vector<ConstMatrixRef>{result, done}, {});
  };
  const auto before = static_cast<Index>(done(0, 0));
  for (Index first = before; first < n; first += batch) {
    const Index count = std::min(batch, n - first);
    try {
      result.middleCols(first, count) = rows_of(labeled.subspan(first, count));
    } catch (const Cancelled&) {
      if (saved && first > before) keep(first);
      throw;
    }
    counter.add();
    if (saved && saved->due()) keep(first + count);
  }
  // Symmetric up to rounding and the inner tolerance.
  return 0.5 * (result + result.transpose());
}

}  // namespace stkr
