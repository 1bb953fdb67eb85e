#include "explain/centered_smoothness.hpp"

#include <cmath>
#include <limits>

namespace stkr {
namespace {

// Each column less its mean.
Matrix centered(ConstMatrixRef x) { return x.rowwise() - x.colwise().mean(); }

class CenteredOperator final : public LinearOperator {
 public:
  explicit CenteredOperator(const LinearOperator& s) : s_(s) {}
  Index size() const override { return s_.size(); }
  void apply(ConstMatrixRef x, MatrixRef y) const override {
    s_.apply(centered(x), y);
    y = centered(y);
  }

 private:
  const LinearOperator& s_;
};

}  // namespace

std::vector<Smoothness> centered_smoothness(const GramOperator& gram, const Vector& f,
                                            std::span<const double> scales,
                                            const QuadraticFormOptions& options,
                                            const Context& context) {
  const Vector rest = centered(f);
  const double variance = rest.squaredNorm() / static_cast<double>(rest.size());
  std::vector<Smoothness> result;
  for (const double p : scales) {
    result.push_back({.p = p, .variance = variance});
  }
  // What rounding leaves of a constant.
  const double size = f.squaredNorm() / static_cast<double>(f.size());
  if (!(variance > 1e-24 * size)) return result;
  std::vector<std::function<double(double)>> inverses;
  for (const double p : scales) {
    inverses.push_back([p](double lambda) {
      return lambda > 0.0 ? std::pow(lambda, -p) : std::numeric_limits<double>::infinity();
    });
  }
  const Vector unit = rest / std::sqrt(static_cast<double>(rest.size()));
  const std::vector<QuadraticForm> forms =
      quadratic_forms(CenteredOperator(gram), unit, inverses, options, context);
  for (std::size_t k = 0; k < forms.size(); ++k) {
    Smoothness& one = result[k];
    one.norm.squared = forms[k].value;
    one.norm.error = forms[k].error;
    one.norm.outside = forms[k].singular_share;
    one.norm.converged = forms[k].converged;
    one.ratio = variance / forms[k].value;
  }
  return result;
}

}  // namespace stkr
