#include "selection_cases.hpp"

#include <fmt/format.h>

#include <Eigen/LU>

namespace stkr::cases {

void PrintTo(const ScoredCase& scored, std::ostream* out) { *out << scored.name; }

Matrix awkward_graph() {
  Matrix w = Matrix::Zero(44, 44);
  Random random(31);
  const auto join = [&](Index i, Index j, double weight) { w(i, j) = w(j, i) = weight; };
  for (Index i = 0; i < 20; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < ((i < 10) == (j < 10) ? 0.5 : 0.05)) join(i, j, 1.0);
    }
  }
  join(0, 19, 1.0);
  for (Index leaf = 21; leaf < 28; ++leaf) join(20, leaf, 1.0);
  join(28, 29, 2.0);
  join(32, 33, 1.0);
  join(33, 34, 1.0);
  join(32, 34, 1.0);
  for (Index i = 35; i < 43; ++i) join(i, i + 1, 0.5 + random.uniform());
  return w;
}

Matrix awkward_edges() {
  Matrix edges = Matrix::Zero(5, 44);
  edges(0, 2) = 1.0;
  edges(0, 16) = 0.5;
  edges(1, 20) = 1.0;
  edges(2, 30) = 1.0;
  edges(3, 29) = 1.0;
  edges(3, 40) = 3.0;
  return edges;
}

Matrix graph_cross(const Matrix& w, const Matrix& edges, GraphNormalization normalization) {
  const auto n = static_cast<double>(w.rows());
  const Vector degree = w.rowwise().sum(), seen = edges.rowwise().sum();
  const double factor = normalization == GraphNormalization::lazy_walk ? 0.5 * n : n;
  Matrix k = Matrix::Zero(edges.rows(), edges.cols());
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) {
      if (edges(i, j) > 0.0 && degree[j] > 0.0) {
        k(i, j) = factor * edges(i, j) / std::sqrt(seen[i] * degree[j]);
      }
    }
  }
  return k;
}

ScoredCase scored_graph(std::string name, const Matrix& w, GraphNormalization normalization,
                        std::vector<Index> labeled, std::vector<Index> scored, const Matrix& edges,
                        const Device& device) {
  const GramCase base = graph_case(name, w, normalization, device);
  return {std::move(name),
          base.make,
          base.kernel,
          std::move(labeled),
          std::move(scored),
          NewSamples{to_csr(edges)},
          graph_cross(w, edges, normalization),
          base.self_term};
}

Matrix block_model(Index half, std::uint64_t seed) {
  Random random(seed);
  Matrix w = Matrix::Zero(2 * half, 2 * half);
  for (Index i = 0; i < 2 * half; ++i) {
    for (Index j = 0; j < i; ++j) {
      if (random.uniform() < ((i < half) == (j < half) ? 0.2 : 0.03)) w(i, j) = w(j, i) = 1.0;
    }
  }
  return w;
}

std::vector<ScoredCase> scored_cases() {
  using enum GraphNormalization;
  std::vector<ScoredCase> all;
  const std::vector<Index> scored{1, 5, 16, 20, 23, 25, 31, 33, 35, 41, 43, 18};
  for (const auto& [name, normalization] :
       {std::pair{"awkward_symmetric", symmetric}, std::pair{"awkward_lazy_walk", lazy_walk}}) {
    all.push_back(scored_graph(name, awkward_graph(), normalization, kAwkwardLabels, scored,
                               awkward_edges()));
  }
  Matrix star = Matrix::Zero(9, 9);
  star.row(0).tail(8).setOnes();
  star.col(0).tail(8).setOnes();
  Matrix star_edges = Matrix::Zero(2, 9);
  star_edges(0, 0) = 1.0;
  star_edges(1, 3) = 1.0;
  for (const auto& [name, normalization] :
       {std::pair{"star_symmetric", symmetric}, std::pair{"star_lazy_walk", lazy_walk}}) {
    all.push_back(scored_graph(name, star, normalization, {1, 2, 3, 4}, {0, 5, 8}, star_edges));
  }
  const Matrix blocks = block_model(40, 32);
  Matrix block_edges = Matrix::Zero(6, 80);
  Random random(33);
  for (Index i = 0; i < 6; ++i) {
    for (int k = 0; k < 5; ++k) {
      block_edges(i, static_cast<Index>(random.below(40)) + (i < 3 ? 0 : 40)) = 1.0;
    }
  }
  std::vector<Index> block_labels;
  for (Index i = 0; i < 80; i += 4) block_labels.push_back(i);
  for (const auto& [name, normalization] :
       {std::pair{"blocks_symmetric", symmetric}, std::pair{"blocks_lazy_walk", lazy_walk}}) {
    all.push_back(scored_graph(name, blocks, normalization, block_labels,
                               {1, 11, 26, 39, 41, 59, 70}, block_edges));
  }

  // λ₂ close to 1, so that η = 0.999999 needs more than deflating λ₁: 1 - 1e-3 for a path, and
  // about 1 - 1e-8 for two halves joined by a bridge of weight 1e-6.
  Matrix path = Matrix::Zero(80, 80);
  for (Index i = 1; i < 80; ++i) path(i - 1, i) = path(i, i - 1) = 1.0;
  all.push_back(
      scored_graph("long_path", path, symmetric, {5, 6, 40, 71}, {0, 20, 55, 79}, block_edges));
  Matrix bridge = blocks;
  bridge.topRightCorner(40, 40).setZero();
  bridge.bottomLeftCorner(40, 40).setZero();
  bridge(3, 77) = bridge(77, 3) = 1e-6;
  all.push_back(
      scored_graph("weak_bridge", bridge, symmetric, {1, 9, 50, 61}, {3, 20, 55, 77}, block_edges));

  const Matrix x = random_matrix(60, 2, 34), fresh = random_matrix(7, 2, 35);
  Matrix k(7, 60);
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 60; ++j) k(i, j) = rbf(0.7)(fresh.row(i), x.row(j));
  }
  const Vector degree = kernel_matrix(x, rbf(0.7)).rowwise().mean(), seen = k.rowwise().mean();
  Matrix normalized_k = k;
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 60; ++j) normalized_k(i, j) /= std::sqrt(seen[i] * degree[j]);
  }
  const std::vector<Index> labels{4, 0, 17, 33, 59, 21, 8, 40};
  const std::vector<Index> judged{1, 2, 30, 58, 25};
  const auto add_points = [&](std::string name, const Device& device) {
    const GramCase points =
        normalized_case(name, point_case("rbf", x, Kernel::rbf(0.7), rbf(0.7), device));
    all.push_back({std::move(name), points.make, points.kernel, labels, judged, NewSamples{fresh},
                   normalized_k});
  };
  add_points("normalized_points", {});
  const Matrix plain = kernel_matrix(x, rbf(0.7));
  const GramCase dense = dense_case("kernel", plain);
  all.push_back({"kernel", dense.make, plain, labels, judged, NewSamples{k}, k});
  const Matrix p = Matrix::Identity(60, 60) - Matrix::Constant(60, 60, 1.0 / 60.0);
  all.push_back({"centered_kernel", centered_case("centered", dense).make, centered(plain), labels,
                 judged, NewSamples{k}, (k.rowwise() - plain.colwise().mean()) * p});
  // Eigenvalues of both signs, λ₁ far from 1.
  const Matrix indefinite = with_spectrum(Vector::LinSpaced(60, -40.0, 300.0), 36);
  all.push_back({"indefinite_kernel", dense_case("indefinite", indefinite).make, indefinite, labels,
                 judged, NewSamples{k}, k});
  for (const Device& device : other_devices()) {
    const auto named = [&](const char* name) { return fmt::format("{}_{}", device.name(), name); };
    all.push_back(scored_graph(named("awkward_symmetric"), awkward_graph(), symmetric,
                               kAwkwardLabels, scored, awkward_edges(), device));
    all.push_back(scored_graph(named("blocks_lazy_walk"), blocks, lazy_walk, block_labels,
                               {1, 11, 26, 39, 41, 59, 70}, block_edges, device));
    add_points(named("normalized_points"), device);
  }
  return all;
}

Index widest_pca_gap(const Matrix& kernel, const std::vector<Index>& labeled, Index lowest,
                     Index highest) {
  const std::vector<Index> unlabeled = reference::complement(labeled, kernel.rows());
  const Vector values =
      reference::Spectrum(reference::rows_of(reference::columns_of(kernel, unlabeled), unlabeled))
          .values;
  Index best = lowest;
  for (Index d = lowest; d <= highest; ++d) {
    if (values[d - 1] - values[d] > values[best - 1] - values[best]) best = d;
  }
  return best;
}

reference::Transform exact_transform(Family family, double parameter, const Grid& grid,
                                     double largest) {
  switch (family) {
    case Family::power:
      return power_case(parameter).exact;
    case Family::polynomial:
      return polynomial_case("", grid.polynomials[static_cast<std::size_t>(parameter)]).exact;
    case Family::inverse_laplacian:
      return inverse_laplacian_case(parameter / largest).exact;
    case Family::poisson:
      return poisson_case(parameter, largest).exact;
    default:
      return diffusion_case(parameter).exact;
  }
}

Matrix exact_kernel(const reference::Dense& dense, const Matrix& cross, Family family,
                    double parameter, const Grid& grid, const std::vector<Index>& labeled) {
  const Index n = dense.size();
  Matrix rows(n + cross.rows(), n);
  if (family != Family::top_d) {
    const reference::Transform t = exact_transform(family, parameter, grid, dense.largest());
    rows << dense.kernel() * dense.action(t), cross * dense.fresh_action(t);
    return rows;
  }
  rows << dense.kernel(), cross;
  const auto d = static_cast<Index>(parameter);
  const Matrix none = Matrix::Zero(static_cast<Index>(labeled.size()), 1);
  const reference::PcaSolution pca = dense.kernel_pca(d, labeled, none, 1.0);
  const std::vector<Index> unlabeled = reference::complement(labeled, n);
  Matrix psi = reference::columns_of(rows, unlabeled) * pca.vectors;
  // The rows of samples not used to learn ψ̂ lack the self term of K: see
  // reference::Dense::kernel_pca.
  const Vector squares = static_cast<double>(unlabeled.size()) * pca.eigenvalues;
  // If an eigenvalue consists of the self term only, the part shared with other samples is 0.
  const Vector factors = squares.unaryExpr([&](double square) {
    const double shared = square - static_cast<double>(n) * dense.self_term();
    return std::abs(shared) > 1e-8 * square ? square / shared : 0.0;
  });
  for (const Index l : labeled) psi.row(l) = psi.row(l).cwiseProduct(factors.transpose()).eval();
  psi.bottomRows(cross.rows()) *= factors.asDiagonal();
  return psi * psi.topRows(n).transpose();
}

Vector free_constant(const Matrix& labeled, const Matrix& y, double beta) {
  Matrix a = labeled;
  a.diagonal().array() += static_cast<double>(y.rows()) * beta;
  const Vector one = a.fullPivLu().solve(Matrix::Ones(y.rows(), 1));
  return y.transpose() * one / one.sum();
}

Matrix ridge(const Matrix& labeled, const Matrix& scored, const Matrix& y, double beta) {
  Matrix a = labeled;
  a.diagonal().array() += static_cast<double>(y.rows()) * beta;
  return scored * a.fullPivLu().solve(y);
}

}  // namespace stkr::cases
