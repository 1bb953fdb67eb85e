#include "selection/calibrated_score.hpp"

#include <cmath>
#include <limits>

namespace stkr {
namespace {

// τ·scale: from no influence of g to nearly certain predictions.
constexpr int kTemperatures = 25;
constexpr double kCoolest = 0.05, kHottest = 50.0;
constexpr double kUsual = 4.0;  // the width of the prior on τ·scale

double log_likelihood(ConstMatrixRef g, const std::vector<Index>& classes, const Vector& log_shares,
                      double temperature) {
  double total = 0.0;
  for (Index i = 0; i < g.rows(); ++i) {
    const Vector z = log_shares + temperature * g.row(i).transpose();
    const double top = z.maxCoeff();
    total +=
        z[classes[static_cast<std::size_t>(i)]] - top - std::log((z.array() - top).exp().sum());
  }
  return total;
}

}  // namespace

CalibratedScore calibrated_score(ConstMatrixRef g, const std::vector<Index>& classes,
                                 const Vector& shares, double scale) {
  const Vector log_shares = shares.array().log();
  CalibratedScore best{-std::numeric_limits<double>::infinity(), 0.0};
  for (int k = 0; k < kTemperatures; ++k) {
    const double relative =
        kCoolest * std::pow(kHottest / kCoolest, static_cast<double>(k) / (kTemperatures - 1));
    const double temperature = scale > 0.0 ? relative / scale : 0.0;
    const double value =
        log_likelihood(g, classes, log_shares, temperature) - 0.5 * std::pow(relative / kUsual, 2);
    if (value > best.log_likelihood) best = {value, temperature};
  }
  return best;
}

}  // namespace stkr
