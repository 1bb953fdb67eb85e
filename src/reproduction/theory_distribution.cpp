#include "reproduction/theory_distribution.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace stkr {
namespace {

// Points (cos θ, sin θ) per circle.
Matrix circle_points(Random& random, Index count, Index circles) {
  Matrix points(count, 2 * circles);
  for (Index i = 0; i < count; ++i) {
    for (Index c = 0; c < circles; ++c) {
      const double angle = 2.0 * std::numbers::pi * random.uniform();
      points(i, 2 * c) = std::cos(angle);
      points(i, 2 * c + 1) = std::sin(angle);
    }
  }
  return points;
}

// 1, √2 cos θ, √2 sin θ, √2 cos 2θ, ... by the addition theorem.
Matrix harmonics(const Matrix& points, Index circle, Index frequencies) {
  Matrix values(points.rows(), 2 * frequencies + 1);
  for (Index i = 0; i < points.rows(); ++i) {
    const double x = points(i, 2 * circle), y = points(i, 2 * circle + 1);
    double cosine = std::numbers::sqrt2, sine = 0.0;
    values(i, 0) = 1.0;
    for (Index k = 1; k <= frequencies; ++k) {
      const double next = cosine * x - sine * y;
      sine = cosine * y + sine * x;
      cosine = next;
      values(i, 2 * k - 1) = cosine;
      values(i, 2 * k) = sine;
    }
  }
  return values;
}

// The circle with λ_k twice for each frequency.
TheoryDistribution circle_of(std::string name, const std::vector<double>& lambda, Kernel kernel) {
  const auto frequencies = static_cast<Index>(lambda.size());
  Vector eigenvalues(2 * frequencies);
  for (Index k = 0; k < frequencies; ++k) {
    eigenvalues[2 * k] = eigenvalues[2 * k + 1] = lambda[static_cast<std::size_t>(k)];
  }
  const double kappa_squared = eigenvalues.sum();  // cos² + sin² = 1
  return {std::move(name),
          std::move(eigenvalues),
          kappa_squared,
          std::move(kernel),
          [](Random& random, Index count) { return circle_points(random, count, 1); },
          [=](const Matrix& points) {
            return Matrix(harmonics(points, 0, frequencies).rightCols(2 * frequencies));
          }};
}

double poisson_kernel(double r, double t) { return (1.0 - r * r) / (1.0 - 2.0 * r * t + r * r); }

}  // namespace

TheoryDistribution circle_distribution(double r) {
  std::vector<double> lambda;
  for (double value = r; value > 1e-17; value *= r) lambda.push_back(value);
  CustomKernel kernel{.name = "theory-circle",
                      .formula = OfInnerProduct{[r](auto row) {
                        for (auto& t : row) {
                          t = 2.0 * (r * t - r * r) / (1.0 - 2.0 * r * t + r * r);
                        }
                      }},
                      .positive_semidefinite = true};
  TheoryDistribution circle = circle_of("circle", lambda, Kernel::custom(std::move(kernel)));
  circle.kappa_squared = 2.0 * r / (1.0 - r);
  return circle;
}

TheoryDistribution torus_distribution(double r) {
  // Functions h_a(θ₁) h_b(θ₂) of frequencies k_a + k_b ≤ most: r^most is about 1e-10.
  const auto most = static_cast<Index>(std::ceil(std::log(1e-10) / std::log(r)));
  struct Pair {
    Index first, second, order;  // columns of the harmonics, k_a + k_b
  };
  std::vector<Pair> pairs;
  for (Index a = 0; a <= 2 * most; ++a) {
    for (Index b = 0; b <= 2 * most; ++b) {
      const Index order = (a + 1) / 2 + (b + 1) / 2;
      if (order > 0 && order <= most) pairs.push_back({a, b, order});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.order < b.order; });
  const auto count = static_cast<Index>(pairs.size());
  Vector eigenvalues(count);
  for (Index j = 0; j < count; ++j) {
    eigenvalues[j] = std::pow(r, static_cast<double>(pairs[static_cast<std::size_t>(j)].order));
  }
  CustomKernel kernel{
      .name = "theory-torus",
      .formula = OfPoints{[r](std::span<const double> x, std::span<const double> y) {
        return poisson_kernel(r, x[0] * y[0] + x[1] * y[1]) *
                   poisson_kernel(r, x[2] * y[2] + x[3] * y[3]) -
               1.0;
      }},
      .positive_semidefinite = true};
  const double at_itself = (1.0 + r) / (1.0 - r);  // of P
  return {"torus",
          std::move(eigenvalues),
          at_itself * at_itself - 1.0,
          Kernel::custom(std::move(kernel)),
          [](Random& random, Index samples) { return circle_points(random, samples, 2); },
          [=](const Matrix& points) {
            const Matrix first = harmonics(points, 0, most), second = harmonics(points, 1, most);
            Matrix values(points.rows(), count);
            for (Index j = 0; j < count; ++j) {
              const Pair& pair = pairs[static_cast<std::size_t>(j)];
              values.col(j) = first.col(pair.first).cwiseProduct(second.col(pair.second));
            }
            return values;
          }};
}

TheoryDistribution hypercube_distribution(int dimension, double rho) {
  std::vector<unsigned> sets;  // as bits
  for (unsigned set = 1; set < 1U << dimension; ++set) sets.push_back(set);
  const auto size = [](unsigned set) { return __builtin_popcount(set); };
  std::stable_sort(sets.begin(), sets.end(),
                   [&](unsigned a, unsigned b) { return size(a) < size(b); });
  Vector eigenvalues(static_cast<Index>(sets.size()));
  for (Index j = 0; j < eigenvalues.size(); ++j) {
    eigenvalues[j] = std::pow(rho, size(sets[static_cast<std::size_t>(j)]));
  }
  // With a agreeing coordinates, t = 2a - d: Π(1 + ρ x_i x_i') = (1+ρ)^a (1-ρ)^(d-a).
  std::vector<double> by_agreement;
  for (int a = 0; a <= dimension; ++a) {
    by_agreement.push_back(std::pow(1.0 + rho, a) * std::pow(1.0 - rho, dimension - a) - 1.0);
  }
  CustomKernel kernel{.name = "theory-hypercube",
                      .formula = OfInnerProduct{[=](auto row) {
                        for (auto& t : row) {
                          t = by_agreement[static_cast<std::size_t>(0.5 * (dimension + t) + 0.5)];
                        }
                      }},
                      .positive_semidefinite = true};
  return {"hypercube",
          std::move(eigenvalues),
          std::pow(1.0 + rho, dimension) - 1.0,
          Kernel::custom(std::move(kernel)),
          [=](Random& random, Index count) {
            Matrix points(count, dimension);
            for (Index i = 0; i < count; ++i) {
              for (Index k = 0; k < dimension; ++k)
                points(i, k) = random.below(2) == 0 ? -1.0 : 1.0;
            }
            return points;
          },
          [=](const Matrix& points) {
            Matrix values(points.rows(), static_cast<Index>(sets.size()));
            for (Index i = 0; i < points.rows(); ++i) {
              for (Index j = 0; j < values.cols(); ++j) {
                double product = 1.0;
                for (int k = 0; k < dimension; ++k) {
                  if (sets[static_cast<std::size_t>(j)] >> k & 1U) product *= points(i, k);
                }
                values(i, j) = product;
              }
            }
            return values;
          }};
}

TheoryDistribution decaying_distribution(double p, Index frequencies) {
  std::vector<double> lambda;
  for (Index k = 1; k <= frequencies; ++k) {
    lambda.push_back(std::pow(static_cast<double>(k), -1.0 / p));
  }
  // 2 Σ_k λ_k cos kθ by Clenshaw's recurrence in t = cos θ.
  CustomKernel kernel{.name = "theory-decay",
                      .formula = OfInnerProduct{[lambda](auto row) {
                        for (auto& value : row) {
                          const double t = value;
                          double b1 = 0.0, b2 = 0.0;
                          for (std::size_t k = lambda.size(); k-- > 0;) {
                            const double b0 = lambda[k] + 2.0 * t * b1 - b2;
                            b2 = b1;
                            b1 = b0;
                          }
                          value = 2.0 * (t * b1 - b2);
                        }
                      }},
                      .positive_semidefinite = true};
  return circle_of("circle", lambda, Kernel::custom(std::move(kernel)));
}

Vector transformed(const TheoryDistribution& distribution, const SpectralTransform& transform) {
  return distribution.eigenvalues.unaryExpr([&](double lambda) { return transform(lambda); });
}

Vector oracle_coordinates(const Matrix& psi, const Vector& s_values, const Vector& y, double beta) {
  const double ridge = static_cast<double>(psi.rows()) * beta;
  const Vector roots = s_values.cwiseSqrt();
  const Eigen::MatrixXd scaled = psi * roots.asDiagonal();  // G_{K_s,n} = scaled scaledᵀ
  if (psi.rows() <= psi.cols()) {
    Eigen::MatrixXd system = scaled * scaled.transpose();
    system.diagonal().array() += ridge;
    return roots.cwiseProduct(scaled.transpose() * system.llt().solve(y));
  }
  Eigen::MatrixXd system = Eigen::MatrixXd::Zero(psi.cols(), psi.cols());
  system.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose());
  system.diagonal().array() += ridge;
  return roots.cwiseProduct(system.llt().solve(scaled.transpose() * y));
}

Random repetition(std::uint64_t seed, std::uint64_t experiment, std::uint64_t number) {
  // splitmix64 of a word that differs for all three
  std::uint64_t word = seed * 0x9E3779B97F4A7C15ULL + (experiment << 32U) + number;
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBULL;
  return Random(word ^ (word >> 31U));
}

}  // namespace stkr
