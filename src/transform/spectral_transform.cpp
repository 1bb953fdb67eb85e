#include "stkr/transform/spectral_transform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "stkr/transform/transform_text.hpp"

namespace stkr {
namespace {

template <class... Visitors>
struct Overloaded : Visitors... {
  using Visitors::operator()...;
};
template <class... Visitors>
Overloaded(Visitors...) -> Overloaded<Visitors...>;  // Clang deduces this itself since version 17

// Σ_k coefficients[k] x^k by Horner's rule.
double horner(const std::vector<double>& coefficients, double x) {
  double value = 0.0;
  for (auto it = coefficients.rbegin(); it != coefficients.rend(); ++it) value = value * x + *it;
  return value;
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

bool is_whole(double value) { return value == std::floor(value); }

double real_power(double x, double exponent) {
  return is_whole(exponent) ? std::pow(x, exponent) : (x > 0.0 ? std::pow(x, exponent) : 0.0);
}

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

double ReciprocalTransform::rho(double lambda) const { return horner(coefficients, lambda); }

SpectralTransform SpectralTransform::power(double exponent) {
  if (!(exponent >= 1.0) || !std::isfinite(exponent)) {
    throw ValueError(fmt::format(
        "power: p = {}; expected p >= 1 (s(lambda) <= M lambda fails below 1)", exponent));
  }
  return SpectralTransform(PowerTransform{exponent});
}

SpectralTransform SpectralTransform::polynomial(std::vector<double> coefficients) {
  if (coefficients.empty() || !all_finite(coefficients) ||
      std::all_of(coefficients.begin(), coefficients.end(), [](double v) { return v == 0.0; })) {
    throw ValueError(
        fmt::format("polynomial: coefficients [{}]; expected finite pi_1, ..., pi_q, not all zero",
                    fmt::join(coefficients, ", ")));
  }
  return SpectralTransform(PolynomialTransform{std::move(coefficients)});
}

SpectralTransform SpectralTransform::inverse_laplacian(double eta) {
  if (!(eta > 0.0) || !std::isfinite(eta)) {
    throw ValueError(fmt::format(
        "inverse Laplacian: eta = {}; expected a number above 0 and below 1/lambda_1", eta));
  }
  return SpectralTransform(InverseLaplacianTransform{eta});
}

SpectralTransform SpectralTransform::reciprocal(std::vector<double> coefficients, int r) {
  if (coefficients.empty() || !all_finite(coefficients) || !(coefficients.front() > 0.0)) {
    throw ValueError(fmt::format(
        "reciprocal: coefficients [{}]; expected finite xi_0, ..., xi_(q-1) with xi_0 > 0",
        fmt::join(coefficients, ", ")));
  }
  if (r < 1) throw ValueError(fmt::format("reciprocal: r = {}; expected r >= 1", r));
  return SpectralTransform(ReciprocalTransform{std::move(coefficients), r});
}

SpectralTransform SpectralTransform::diffusion(double time) {
  if (!(time > 0.0) || !std::isfinite(time)) {
    throw ValueError(fmt::format("diffusion: t = {}; expected a positive number", time));
  }
  return SpectralTransform(DiffusionTransform{time});
}

SpectralTransform SpectralTransform::truncation(Index dimension) {
  if (dimension < 1)
    throw ValueError(fmt::format("truncation: d = {}; expected d >= 1", dimension));
  return SpectralTransform(TruncationTransform{dimension});
}

SpectralTransform SpectralTransform::poisson(double eta) {
  if (!(eta > 0.0 && eta <= 1.0)) {
    throw ValueError(fmt::format(
        "poisson: eta = {}; expected a number above 0 and at most 1, in units of 1/lambda_1", eta));
  }
  return SpectralTransform(PoissonTransform{eta});
}

SpectralTransform SpectralTransform::smooth_step(double position, int sharpness) {
  if (!(position > 0.0) || !std::isfinite(position)) {
    throw ValueError(
        fmt::format("smooth step: position c = {}; expected a positive number", position));
  }
  if (sharpness < 2 || sharpness % 2 != 0) {
    throw ValueError(
        fmt::format("smooth step: sharpness p = {}; expected an even number from 2", sharpness));
  }
  return SpectralTransform(SmoothStepTransform{position, sharpness});
}

SpectralTransform SpectralTransform::sum(std::vector<TransformTerm> terms) {
  if (terms.empty()) throw ValueError("sum of transforms: no terms; expected one or more");
  std::vector<TransformTerm> all;
  for (TransformTerm& term : terms) {
    if (!(term.weight > 0.0) || !std::isfinite(term.weight)) {
      throw ValueError(
          fmt::format("sum of transforms: weight {} of {}; expected a positive number (Theorem 1 "
                      "holds for sums "
                      "with positive weights)",
                      term.weight, term.transform.describe()));
    }
    if (std::holds_alternative<TruncationTransform>(term.transform.form())) {
      throw ValueError(
          "sum of transforms: a truncation is not a function of lambda; use a smooth step instead");
    }
    if (std::holds_alternative<PoissonTransform>(term.transform.form())) {
      throw ValueError(
          "sum of transforms: poisson is not a function of lambda; average fits instead, as in "
          "0.5*poisson(1)@0.01 + 0.5*power(2)@0.1");
    }
    for (TransformTerm& inner : terms_of(term.transform)) {
      all.push_back({term.weight * inner.weight, std::move(inner.transform)});
    }
  }
  if (all.size() == 1 && all.front().weight == 1.0) {
    return std::move(all.front().transform);
  }
  return SpectralTransform(
      SumTransform{std::make_shared<const std::vector<TransformTerm>>(std::move(all))});
}

std::vector<TransformTerm> terms_of(const SpectralTransform& transform) {
  if (const auto* sum = std::get_if<SumTransform>(&transform.form())) return *sum->terms;
  return {{1.0, transform}};
}

SpectralTransform SpectralTransform::callable(std::string name, std::function<double(double)> s) {
  if (!s) throw ValueError("callable transform: no function given");
  const double at_zero = s(0.0);
  if (!(std::abs(at_zero) <= 1e-12)) {
    throw ValueError(fmt::format("transform '{}': s(0) = {}; expected s(0) = 0", name, at_zero));
  }
  return SpectralTransform(CallableTransform{std::move(name), std::move(s)});
}

std::string SpectralTransform::name() const {
  return std::visit(
      Overloaded{[](const PowerTransform&) { return std::string("power"); },
                 [](const PolynomialTransform&) { return std::string("polynomial"); },
                 [](const InverseLaplacianTransform&) { return std::string("inverse-laplacian"); },
                 [](const ReciprocalTransform&) { return std::string("reciprocal"); },
                 [](const DiffusionTransform&) { return std::string("diffusion"); },
                 [](const TruncationTransform&) { return std::string("truncation"); },
                 [](const PoissonTransform&) { return std::string("poisson"); },
                 [](const SmoothStepTransform&) { return std::string("smooth-step"); },
                 [](const CallableTransform& t) { return t.name; },
                 [](const SumTransform&) { return std::string("sum"); }},
      form_);
}

std::string SpectralTransform::describe() const {
  if (std::holds_alternative<SumTransform>(form_)) return to_text(*this);
  const std::string parameters = std::visit(
      Overloaded{
          [](const PowerTransform& t) { return fmt::format(" p={}", t.exponent); },
          [](const PolynomialTransform& t) {
            return fmt::format(" pi=[{}]", fmt::join(t.coefficients, ", "));
          },
          [](const InverseLaplacianTransform& t) { return fmt::format(" eta={:.6g}", t.eta); },
          [](const ReciprocalTransform& t) {
            return fmt::format(" xi=[{}] r={}", fmt::join(t.coefficients, ", "), t.r);
          },
          [](const DiffusionTransform& t) { return fmt::format(" t={}", t.time); },
          [](const TruncationTransform& t) { return fmt::format(" d={}", t.dimension); },
          [](const PoissonTransform& t) { return fmt::format(" eta={:.6g}", t.eta); },
          [](const SmoothStepTransform& t) {
            return fmt::format(" c={:.6g} p={}", t.position, t.sharpness);
          },
          [](const CallableTransform&) { return std::string(); },
          [](const SumTransform&) { return std::string(); }},
      form_);
  return name() + parameters;
}

double SpectralTransform::operator()(double lambda) const {
  return std::visit(
      Overloaded{
          [&](const PowerTransform& t) { return real_power(lambda, t.exponent); },
          [&](const PolynomialTransform& t) { return lambda * horner(t.coefficients, lambda); },
          [&](const InverseLaplacianTransform& t) { return lambda / (1.0 - t.eta * lambda); },
          [&](const ReciprocalTransform& t) { return std::pow(lambda, t.r) / t.rho(lambda); },
          [&](const DiffusionTransform& t) { return std::expm1(t.time * lambda); },
          [&](const TruncationTransform&) { return lambda; },
          [&](const PoissonTransform& t) {
            return lambda < 1.0 ? lambda / (1.0 - t.eta * lambda) : 0.0;
          },
          [&](const SmoothStepTransform& t) {
            // Not λ^p/(λ^p + c^p), in which both may underflow. 1/∞ = 0 at λ = 0.
            return 1.0 / (1.0 + std::pow(t.position / lambda, t.sharpness));
          },
          [&](const CallableTransform& t) { return t.s(lambda); },
          [&](const SumTransform& t) {
            double value = 0.0;
            for (const TransformTerm& term : *t.terms)
              value += term.weight * term.transform(lambda);
            return value;
          }},
      form_);
}

std::optional<std::vector<double>> SpectralTransform::polynomial_coefficients() const {
  if (const auto* t = std::get_if<PolynomialTransform>(&form_)) return t->coefficients;
  if (const auto* t = std::get_if<SumTransform>(&form_)) {
    std::vector<double> total;
    for (const TransformTerm& term : *t->terms) {
      const auto coefficients = term.transform.polynomial_coefficients();
      if (!coefficients) return std::nullopt;
      total.resize(std::max(total.size(), coefficients->size()), 0.0);
      for (std::size_t p = 0; p < coefficients->size(); ++p) {
        total[p] += term.weight * (*coefficients)[p];
      }
    }
    return total;
  }
  const auto* t = std::get_if<PowerTransform>(&form_);
  if (!t || !is_whole(t->exponent) || t->exponent > 1000) return std::nullopt;
  std::vector<double> coefficients(static_cast<std::size_t>(t->exponent), 0.0);
  coefficients.back() = 1.0;
  return coefficients;
}

std::optional<ReciprocalTransform> SpectralTransform::reciprocal_form() const {
  if (const auto* t = std::get_if<ReciprocalTransform>(&form_)) return *t;
  if (const auto* t = std::get_if<InverseLaplacianTransform>(&form_)) {
    return ReciprocalTransform{{1.0, -t->eta}, 1};
  }
  const auto* sum = std::get_if<SumTransform>(&form_);
  if (sum && sum->terms->size() == 1) {
    auto scaled = sum->terms->front().transform.reciprocal_form();
    if (!scaled) return std::nullopt;
    for (double& xi : scaled->coefficients) xi /= sum->terms->front().weight;
    return scaled;
  }
  return std::nullopt;
}

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
    throw ValueError("SpectralTransform::validate: the spectrum must have finite ends");
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
