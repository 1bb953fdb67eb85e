#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {
namespace {

// Where s is sampled: in even steps, and ever finer ones toward 0, where s(λ) ≤ Mλ is decided.
std::vector<double> sample_points(double lower, double upper) {
  constexpr int kEven = 2000;
  std::vector<double> points;
  for (int k = 0; k <= kEven; ++k) points.push_back(lower + (upper - lower) * k / kEven);
  for (int k = 1; k <= 40; ++k) points.push_back(upper * std::pow(0.5, k));
  std::sort(points.begin(), points.end());
  return points;
}

struct Interval {
  double left = 0.0, right = 0.0;
  double at_left = 0.0, at_right = 0.0;  // s at both ends

  double change() const { return std::abs(at_right - at_left); }
  double slope() const { return change() / (right - left); }
};

// The half of an interval in which s changes more, or the interval itself if it cannot be divided.
Interval steeper_half(const SpectralTransform& s, const Interval& whole) {
  const double middle = whole.left + 0.5 * (whole.right - whole.left);
  if (!(middle > whole.left && middle < whole.right)) return whole;
  const double value = s(middle);
  if (!std::isfinite(value)) return whole;
  const Interval low{whole.left, middle, whole.at_left, value};
  const Interval high{middle, whole.right, value, whole.at_right};
  return low.change() > high.change() ? low : high;
}

// Where s jumps on [lower, upper], if it does. Halves intervals in which s changes more than the
// slope next to them explains, until they contain no number between their ends (or are tiny, at 0).
// Over the second half of the halvings the change of a continuous s shrinks, even if it is steep or
// has a kink, whereas a jump remains.
std::optional<Interval> find_jump(const SpectralTransform& s, double lower, double upper) {
  constexpr std::size_t kTried = 8;
  constexpr int kHalvings = 60;  // no more: user code may square λ
  constexpr double kStays = 0.9;
  constexpr double kSeen = 1e-5;  // relative to the largest |s|; single precision jumps below it
  std::vector<double> points = sample_points(lower, upper);
  points.push_back(0.0);
  std::sort(points.begin(), points.end());
  std::vector<Interval> intervals;
  double largest = 0.0, left = points.front(), at_left = s(left);
  for (const double x : points) {
    const double value = s(x);
    if (x > left && std::isfinite(value) && std::isfinite(at_left)) {
      intervals.push_back({left, x, at_left, value});
    }
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    left = x;
    at_left = value;
  }
  // The slope on one side of an interval: the flatter of two neighbors, as a sample may hit a jump.
  const auto count = static_cast<Index>(intervals.size());
  const auto slope_beside = [&](Index k, Index step) {
    const auto slope = [&](Index at) { return intervals[at].slope(); };
    const auto is_there = [&](Index at) { return at >= 0 && at < count; };
    if (!is_there(k + step)) return 0.0;
    return is_there(k + 2 * step) ? std::min(slope(k + step), slope(k + 2 * step))
                                  : slope(k + step);
  };
  std::vector<std::pair<double, Index>> unexplained;
  for (Index k = 0; k < count; ++k) {
    const double slope = std::max(slope_beside(k, 1), slope_beside(k, -1));
    const double rest = intervals[k].change() - slope * (intervals[k].right - intervals[k].left);
    if (rest > 0.0) unexplained.emplace_back(rest, k);
  }
  std::sort(unexplained.rbegin(), unexplained.rend());
  if (unexplained.size() > kTried) unexplained.resize(kTried);
  for (const auto& [rest, k] : unexplained) {
    std::vector<Interval> halved{intervals[k]};
    while (halved.size() < kHalvings) {
      const Interval half = steeper_half(s, halved.back());
      if (half.right - half.left == halved.back().right - halved.back().left) break;
      halved.push_back(half);
    }
    const double change = halved.back().change();
    if (change > kSeen * largest && change > kStays * halved[halved.size() / 2].change()) {
      return halved.back();
    }
  }
  return std::nullopt;
}

// Whether s(λ)/λ stays bounded toward 0. Over λ = upper 2^-k it settles if it is bounded, however
// steep s is; otherwise it grows from one quarter of the k to the next, no less each time: by
// 2^(k/2) for √λ, by k log 2 for λ log(1 + 1/λ).
bool bounded_at_zero(const SpectralTransform& s, double upper) {
  constexpr int kHalvings = 100;  // no more: user code may raise λ to a power
  constexpr int kRounded = 16;    // last ratios before s vanishes, as e^λ - 1 does by rounding
  constexpr double kGrows = 1e-3;
  std::vector<double> ratios;
  for (int k = 0; k <= kHalvings; ++k) {
    const double x = std::ldexp(upper, -k), value = s(x);
    if (!(value > 0.0) || !std::isfinite(value)) break;
    ratios.push_back(value / x);
  }
  if (ratios.size() <= kHalvings) {
    ratios.resize(std::max<std::size_t>(ratios.size(), kRounded) - kRounded);
  }
  const auto quarter = static_cast<std::ptrdiff_t>(ratios.size() / 4);
  if (quarter == 0) return true;
  const auto most = [&](std::ptrdiff_t from_end) {
    const auto end = ratios.end() - from_end * quarter;
    return *std::max_element(end - quarter, end);
  };
  const double growth = most(0) - most(1);
  return !(growth > kGrows * most(0) && growth > 0.5 * (most(1) - most(2)));
}

}  // namespace

bool TransformValidity::valid() const {
  return std::all_of(conditions.begin(), conditions.end(),
                     [](const ConditionCheck& check) { return check.holds; });
}

std::string TransformValidity::failures() const {
  std::string text;
  for (const ConditionCheck& check : conditions) {
    if (check.holds) continue;
    if (!text.empty()) text += "; ";
    text += fmt::format("'{}' fails: {}", check.condition, check.finding);
  }
  return text;
}

TransformValidity SpectralTransform::validate(const SpectrumBounds& spectrum) const {
  if (!std::isfinite(spectrum.lower) || !std::isfinite(spectrum.upper)) {
    throw ValueError("Theorem 1: the spectrum must have finite ends");
  }
  TransformValidity result;
  ConditionCheck zero{"s(0) = 0", true, ""}, finite{"s continuous", true, ""},
      negative{"s >= 0 on the spectrum", true, ""}, monotone{"s non-decreasing", true, ""},
      linear{"s(lambda) <= M lambda", true, ""}, semidefinite{"K positive semidefinite", true, ""};
  const auto& s = *this;
  const auto fail = [](ConditionCheck& check, std::string finding) {
    if (check.holds) check.finding = std::move(finding);
    check.holds = false;
  };
  // The Poisson transform removes the leading eigenvectors, and the gap below them is not known
  // here.
  const bool poisson = std::holds_alternative<PoissonTransform>(form_);
  const double upper = std::max(spectrum.upper, 0.0) * (poisson ? 1.0 - 1e-3 : 1.0);
  // A truncation keeps only positive eigenvalues: those below 0 do not matter.
  const bool truncation = std::holds_alternative<TruncationTransform>(form_);
  const double lower = truncation ? 0.0 : std::min(spectrum.lower, 0.0);
  // Rounding in the ends of the spectrum does not count as a negative eigenvalue.
  const double slack = 1e-10 * std::max(upper, -lower);

  if (std::abs(s(0.0)) > 1e-12) fail(zero, fmt::format("s(0) = {}", s(0.0)));
  for (const TransformTerm& term : terms_of(s)) {
    const auto reciprocal = term.transform.reciprocal_form();
    if (!reciprocal) continue;
    // A pole inside the spectrum: ρ changes sign.
    for (const double x : sample_points(lower, upper)) {
      if (!(reciprocal->rho(x) > 0.0)) {
        fail(finite,
             fmt::format("lambda^r/s(lambda) = {:.3g} at lambda = {:.6g}: s has a pole at or "
                         "below it (for the inverse Laplacian eta must stay below "
                         "1/lambda_1 = {:.6g})",
                         reciprocal->rho(x), x, 1.0 / upper));
        break;
      }
    }
  }
  double previous = 0.0, previous_at = 0.0;
  for (const double x : sample_points(0.0, upper)) {
    const double value = s(x);
    if (!std::isfinite(value)) {
      fail(finite, fmt::format("s({:.6g}) = {}", x, value));
      continue;
    }
    const double rounding = 1e-12 * (std::abs(value) + std::abs(previous));
    if (value < -rounding) fail(negative, fmt::format("s({:.6g}) = {:.3g}", x, value));
    if (value < previous - rounding) {
      fail(monotone, fmt::format("s falls from {:.6g} at {:.6g} to {:.6g} at {:.6g}", previous,
                                 previous_at, value, x));
    }
    previous = value;
    previous_at = x;
    if (x > 0.0) result.slope = std::max(result.slope, value / x);
  }
  if (const auto jump = find_jump(s, lower, upper)) {
    fail(finite, fmt::format("s jumps from {:.6g} to {:.6g} at lambda = {:.6g}", jump->at_left,
                             jump->at_right, jump->right));
  }
  if (upper > 0.0 && !bounded_at_zero(s, upper)) {
    const double near = upper * 0x1.0p-40;
    fail(linear, fmt::format("s(lambda)/lambda grows without bound towards 0 ({:.3g} at {:.1e})",
                             s(near) / near, near));
  }
  if (lower < -slack) {
    fail(semidefinite,
         fmt::format("the spectrum reaches {:.4g}; remedies: lazy walk (I+S)/2, an even power, "
                     "truncation to the top d",
                     lower));
    for (const double x : sample_points(lower, 0.0)) {
      const double value = s(x);
      if (!(value >= -1e-12)) {
        fail(negative,
             fmt::format("s({:.6g}) = {:.3g} on the negative part of the spectrum", x, value));
        break;
      }
    }
  }
  result.conditions = {zero, finite, negative, monotone, linear, semidefinite};
  return result;
}

}  // namespace stkr
