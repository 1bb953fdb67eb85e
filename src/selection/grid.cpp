#include "stkr/selection/grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "estimator/ridge_unit.hpp"
#include "specification/method_names.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr Family kFamilies[] = {
    Family::power,     Family::polynomial, Family::inverse_laplacian, Family::poisson,
    Family::diffusion, Family::top_d,      Family::label_propagation};

template <class Value, class Allowed>
void check_values(const std::vector<Value>& values, const char* name, const char* expected,
                  Allowed&& allowed) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(static_cast<double>(values[k])) || !allowed(values[k])) {
      throw ParameterError(fmt::format("{} = {}; expected {}", name, values[k], expected));
    }
    if (std::find(values.begin(), values.begin() + k, values[k]) != values.begin() + k) {
      throw ParameterError(fmt::format("{} = {} is listed twice", name, values[k]));
    }
  }
}

std::string transform_text(const GridPoint& point, const Grid& grid) {
  const std::string name = to_string(point.family);
  switch (point.family) {
    case Family::power:
      return fmt::format("{} p={:g}", name, point.parameter);
    case Family::polynomial:
      return fmt::format(
          "{} [{:g}]", name,
          fmt::join(grid.polynomials[static_cast<std::size_t>(point.parameter)], " "));
    case Family::inverse_laplacian:
      return fmt::format("inverse Laplacian eta={:.8g}", point.parameter);
    case Family::poisson:
      return fmt::format("{} eta={:.8g}", name, point.parameter);
    case Family::diffusion:
      return fmt::format("{} t={:g}", name, point.parameter);
    case Family::top_d:
      return fmt::format("kernel PCA d={:g}", point.parameter);
    case Family::label_propagation:
      return fmt::format("label propagation eta={:.8g}", point.parameter);
  }
  return {};
}

}  // namespace

std::string to_string(Family family) {
  const auto transform = [](const SpectralTransform& s) { return s.name(); };
  switch (family) {
    case Family::power:
      return transform(SpectralTransform::power(1));
    case Family::polynomial:
      return transform(SpectralTransform::polynomial({1.0}));
    case Family::inverse_laplacian:
      return transform(SpectralTransform::inverse_laplacian(0.5));
    case Family::poisson:
      return transform(SpectralTransform::poisson());
    case Family::diffusion:
      return transform(SpectralTransform::diffusion(1));
    case Family::top_d:
      return name_of(MethodSpec(KernelPcaSpec{}));
    case Family::label_propagation:
      return name_of(MethodSpec(LabelPropagationSpec{}));
  }
  return "unknown";
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const Family family : kFamilies) names.push_back(to_string(family));
  return names;
}

bool has_ridge(Family family) { return family != Family::label_propagation; }

void check_grid(const Grid& grid) {
  const auto positive = [](auto value) { return value > 0; };
  const auto fraction = [](double value) { return value > 0.0 && value < 1.0; };
  check_values(grid.powers, "p", "a power of 1 or more", [](double p) { return p >= 1.0; });
  check_values(grid.etas, "eta", "a number between 0 and 1, in units of 1/lambda_1", fraction);
  check_values(grid.poisson_etas, "eta of poisson",
               "a number above 0 and at most 1, in units of 1/lambda_1",
               [](double value) { return value > 0.0 && value <= 1.0; });
  check_values(grid.times, "t", "a positive diffusion time", positive);
  check_values(grid.dimensions, "d", "1 or more", positive);
  check_values(grid.ridges, "ridge", "a positive number", positive);
  check_values(grid.betas, "beta", "a positive number", positive);
  check_values(grid.propagation_etas, "eta of label propagation", "a number between 0 and 1",
               fraction);
  check_values(grid.propagation_steps, "T", "1 or more iterations", positive);
  for (std::size_t k = 0; k < grid.polynomials.size(); ++k) {
    const auto pi = grid.polynomials.begin() + static_cast<std::ptrdiff_t>(k);
    SpectralTransform::polynomial(*pi);
    if (std::find(grid.polynomials.begin(), pi, *pi) != pi) {
      throw ParameterError(fmt::format("polynomial [{:g}] is listed twice", fmt::join(*pi, " ")));
    }
  }
  if (grid_points(grid).empty()) {
    throw ParameterError(
        "no grid points to try; give at least one family a parameter, and a ridge for families "
        "other than label propagation");
  }
}

std::vector<double> family_parameters(const Grid& grid, Family family) {
  switch (family) {
    case Family::power:
      return grid.powers;
    case Family::polynomial: {
      std::vector<double> places(grid.polynomials.size());
      for (std::size_t k = 0; k < places.size(); ++k) places[k] = static_cast<double>(k);
      return places;
    }
    case Family::inverse_laplacian:
      return grid.etas;
    case Family::poisson:
      return grid.poisson_etas;
    case Family::diffusion:
      return grid.times;
    case Family::top_d:
      return {grid.dimensions.begin(), grid.dimensions.end()};
    case Family::label_propagation:
      return grid.propagation_etas;
  }
  return {};
}

double GridRidge::beta_for(Index n, double unit) const {
  return beta > 0.0 ? beta : paper_beta(ridge, n, unit);
}

std::vector<GridRidge> grid_ridges(const Grid& grid) {
  std::vector<GridRidge> all;
  for (const double beta : grid.betas) all.push_back({0.0, beta});
  if (!all.empty()) return all;
  for (const double ridge : grid.ridges) all.push_back({ridge, 0.0});
  return all;
}

Grid with_paper_betas(Grid grid) {
  grid.betas = {1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  return grid;
}

std::vector<GridPoint> grid_points(const Grid& grid) {
  std::vector<GridPoint> points;
  for (const Family family : kFamilies) {
    for (const double parameter : family_parameters(grid, family)) {
      if (has_ridge(family)) {
        for (const GridRidge& ridge : grid_ridges(grid)) {
          GridPoint& point = points.emplace_back(GridPoint{family, parameter, ridge.beta, 0});
          point.ridge = ridge.ridge;
        }
      } else {
        for (const int steps : grid.propagation_steps) {
          points.push_back({family, parameter, 0.0, steps});
        }
      }
    }
  }
  return points;
}

std::string describe(const GridPoint& point, const Grid& grid) {
  return transform_text(point, grid) + (point.class_mass ? ", class mass" : "");
}

Specification specification_of(const GridPoint& point, const Grid& grid, double largest_eigenvalue,
                               Specification spec, double beta, bool literal_top_d) {
  spec.decision.class_mass = point.class_mass;
  const double given = beta > 0.0 ? beta : point.beta;
  const RidgeSpec ridge =
      given > 0.0 ? RidgeSpec(PaperBeta{given}) : RidgeSpec(RelativeRidge{point.ridge});
  // Solver, tolerance and iterations stay those of `spec`, if its method has them.
  const auto settings = [&]<class Method>(Method fallback) {
    const auto* method = std::get_if<Method>(&spec.method);
    return method ? *method : fallback;
  };
  const auto stkr = [&](SpectralTransform transform) {
    StkrSpec method = settings(StkrSpec{});
    method.transform = std::move(transform);
    method.ridge = ridge;
    return method;
  };
  switch (point.family) {
    case Family::power:
      spec.method = stkr(SpectralTransform::power(point.parameter));
      break;
    case Family::polynomial:
      spec.method = stkr(SpectralTransform::polynomial(
          grid.polynomials[static_cast<std::size_t>(point.parameter)]));
      break;
    case Family::inverse_laplacian:
      spec.method =
          stkr(SpectralTransform::inverse_laplacian(point.parameter / largest_eigenvalue));
      break;
    case Family::poisson:
      spec.method = stkr(SpectralTransform::poisson(point.parameter));
      break;
    case Family::diffusion:
      spec.method = stkr(SpectralTransform::diffusion(point.parameter));
      break;
    case Family::top_d: {
      KernelPcaSpec method = settings(KernelPcaSpec{});
      method.dimension = static_cast<Index>(point.parameter);
      method.ridge = ridge;
      method.literal_top_d = literal_top_d;
      spec.method = method;
      break;
    }
    case Family::label_propagation: {
      LabelPropagationSpec method = settings(LabelPropagationSpec{});
      method.eta = point.parameter / largest_eigenvalue;
      method.iterations = point.iterations;
      spec.method = method;
      break;
    }
  }
  return spec;
}

}  // namespace stkr
