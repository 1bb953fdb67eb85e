#include "stkr/theory/rkhs_norm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/solver/eigenpairs.hpp"

namespace stkr {
namespace {

using Function = std::function<double(double)>;

void check_scale_of_smoothness(double p) {
  if (p > 0.0 && std::isfinite(p)) return;
  throw ParameterError(fmt::format("the power of the kernel is p = {}; expected p > 0", p));
}

// 1/s(λ), infinite outside of the space.
Function inverse_of(std::function<double(double)> s) {
  return [s = std::move(s)](double lambda) {
    const double value = s(lambda);
    return value > 0.0 ? 1.0 / value : std::numeric_limits<double>::infinity();
  };
}

// λ^-p: infinite where λ^p, or its extension to λ < 0 by integers p, is not positive.
Function inverse_power(double p) {
  check_scale_of_smoothness(p);
  if (p >= 1.0) return inverse_of(SpectralTransform::power(p));
  return inverse_of([p](double lambda) { return lambda > 0.0 ? std::pow(lambda, p) : 0.0; });
}

Function inverse_of(const GramOperator& gram, const SpectralTransform& transform,
                    const Context& context) {
  if (std::holds_alternative<PoissonTransform>(transform.form())) {
    throw ParameterError(
        "norm in H_{K_s}: the Poisson transform is not a function of lambda; use inverse-laplacian "
        "with eta < 1/lambda_1");
  }
  if (const auto* truncation = std::get_if<TruncationTransform>(&transform.form())) {
    const Index d = std::min(truncation->dimension, gram.size());
    const double cut = top_eigenpairs(gram, d, {}, context).values[d - 1];
    const double least = cut - 1e-9 * std::abs(cut);
    return inverse_of([=](double lambda) { return lambda >= least ? lambda : 0.0; });
  }
  return inverse_of([transform](double lambda) { return transform(lambda); });
}

// f/√N, or √p f: its spectral measure has the sum ‖f‖²_P.
Vector in_coordinates(const GramOperator& gram, const Vector& f) {
  const double scale = 1.0 / std::sqrt(static_cast<double>(gram.size()));
  const Vector* root = gram.root_weights();
  if (!root || f.size() != root->size()) return scale * f;
  return scale * root->cwiseProduct(f);
}

double mean_of(const GramOperator& gram, const Vector& f) {
  const Vector* root = gram.root_weights();
  if (!root || f.size() != root->size()) return f.mean();
  return root->cwiseAbs2().dot(f) / static_cast<double>(f.size());
}

RkhsNorm norm_of(const QuadraticForm& form) {
  return {.squared = form.value,
          .error = form.error,
          .outside = form.singular_share,
          .converged = form.converged};
}

double inner_product(const GramOperator& gram, const Function& phi, const Vector& f,
                     const Vector& g, const QuadraticFormOptions& options, const Context& context) {
  if (f.size() != g.size()) {
    throw ShapeError(
        fmt::format("inner product: the functions have {} and {} values; expected one "
                    "per sample in both",
                    f.size(), g.size()));
  }
  const double f_size = f.norm(), g_size = g.norm();
  if (f_size == 0.0 || g_size == 0.0) return 0.0;
  // Of functions of the same size, so that rounding of one does not hide the other.
  const Vector sum = f / f_size + g / g_size, difference = f / f_size - g / g_size;
  const auto squared = [&](const Vector& h) {
    const QuadraticForm form = quadratic_form(gram, in_coordinates(gram, h), phi, options, context);
    if (form.singular) {
      throw ValueError(
          fmt::format("inner product: a share of {:.2g} of the functions lies outside of the space "
                      "of the kernel; project them on it first, for example by a fit",
                      form.singular_share));
    }
    return form.value;
  };
  return 0.25 * f_size * g_size * (squared(sum) - squared(difference));
}

}  // namespace

double RkhsNorm::norm() const { return std::sqrt(squared); }

RkhsNorm rkhs_norm(const GramOperator& gram, const SpectralTransform& transform, const Vector& f,
                   const QuadraticFormOptions& options, const Context& context) {
  return norm_of(quadratic_form(gram, in_coordinates(gram, f), inverse_of(gram, transform, context),
                                options, context));
}

RkhsNorm rkhs_norm(const GramOperator& gram, double p, const Vector& f,
                   const QuadraticFormOptions& options, const Context& context) {
  return norm_of(quadratic_form(gram, in_coordinates(gram, f), inverse_power(p), options, context));
}

double rkhs_inner_product(const GramOperator& gram, const SpectralTransform& transform,
                          const Vector& f, const Vector& g, const QuadraticFormOptions& options,
                          const Context& context) {
  return inner_product(gram, inverse_of(gram, transform, context), f, g, options, context);
}

double rkhs_inner_product(const GramOperator& gram, double p, const Vector& f, const Vector& g,
                          const QuadraticFormOptions& options, const Context& context) {
  return inner_product(gram, inverse_power(p), f, g, options, context);
}

Vector fitted_norms(const Fit& fit, std::span<const Index> labeled) {
  if (fit.alpha.rows() != static_cast<Index>(labeled.size()) || fit.alpha.size() == 0) {
    throw ValueError(
        fmt::format("norm of a fit: it has {} coefficients alpha for {} labeled samples; expected "
                    "a fit by stkr or kernel-ridge and the samples that it was given",
                    fit.alpha.rows(), labeled.size()));
  }
  const Matrix values = gather_rows(fit.fitted, labeled);
  return fit.alpha.cwiseProduct(values).colwise().sum().transpose();
}

std::vector<Smoothness> multiscale_smoothness(const GramOperator& gram, const Vector& f,
                                              std::span<const double> scales,
                                              const QuadraticFormOptions& options,
                                              const Context& context) {
  std::vector<Function> phis;
  for (const double p : scales) phis.push_back(inverse_power(p));
  const Vector centered = f.array() - (f.size() > 0 ? mean_of(gram, f) : 0.0);
  const Vector coordinates = in_coordinates(gram, centered);
  const auto forms = quadratic_forms(gram, coordinates, phis, options, context);
  const double variance = coordinates.squaredNorm();
  const double largest = f.size() > 0 ? f.cwiseAbs().maxCoeff() : 0.0;
  const bool constant = centered.cwiseAbs().maxCoeff() <= 1e-14 * largest || largest == 0.0;
  std::vector<Smoothness> result;
  for (std::size_t k = 0; k < forms.size(); ++k) {
    Smoothness one{.p = scales[k], .variance = variance, .norm = norm_of(forms[k])};
    if (!constant) one.ratio = variance / one.norm.squared;
    result.push_back(one);
  }
  return result;
}

Vector poincare_constants(const GramOperator& gram, double p, Index count, const Context& context) {
  check_scale_of_smoothness(p);
  const Vector values = top_eigenpairs(gram, count, {}, context).values;
  return values.unaryExpr([p](double lambda) { return lambda > 0.0 ? std::pow(lambda, p) : 0.0; });
}

}  // namespace stkr
