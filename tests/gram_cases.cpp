#include "gram_cases.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "handle_backend.hpp"

namespace stkr::cases {

void PrintTo(const GramCase& gram, std::ostream* out) { *out << gram.name; }

Matrix kernel_matrix(const Matrix& points, const KernelFunction& k) {
  const Index n = points.rows();
  Matrix result(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) result(i, j) = k(points.row(i), points.row(j));
  }
  return result;
}

CsrMatrix to_csr(const Matrix& dense) {
  std::vector<Triplet> triplets;
  for (Index i = 0; i < dense.rows(); ++i) {
    for (Index j = 0; j < dense.cols(); ++j) {
      if (dense(i, j) != 0.0) {
        triplets.push_back(
            {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), dense(i, j)});
      }
    }
  }
  return csr_from_triplets(dense.rows(), dense.cols(), std::move(triplets));
}

Matrix two_component_graph(Index nodes, std::uint64_t seed) {
  if (nodes < 22) throw std::invalid_argument("two_component_graph: fewer than 22 nodes");
  Random random(seed);
  Matrix w = Matrix::Zero(nodes, nodes);
  const auto join = [&](Index i, Index j) { w(i, j) = w(j, i) = 0.2 + random.uniform(); };
  for (Index i = 1; i < 16; ++i) join(i, static_cast<Index>(random.below(i)));
  for (Index i = 17; i < 22; ++i) join(i, 16 + static_cast<Index>(random.below(i - 16)));
  for (int k = 0; k < 20; ++k) {
    const auto i = static_cast<Index>(random.below(16)), j = static_cast<Index>(random.below(16));
    if (i != j) join(i, j);
  }
  join(16, 21);
  return w;
}

Matrix graph_kernel(const Matrix& w, GraphNormalization normalization) {
  const auto n = static_cast<double>(w.rows());
  const Vector degree = w.rowwise().sum();
  Matrix k = Matrix::Zero(w.rows(), w.rows());
  for (Index i = 0; i < w.rows(); ++i) {
    for (Index j = 0; j < w.rows(); ++j) {
      const double walk = w(i, j) > 0.0 ? w(i, j) / std::sqrt(degree[i] * degree[j]) : 0.0;
      switch (normalization) {
        case GraphNormalization::symmetric:
          k(i, j) = n * walk;
          break;
        case GraphNormalization::probability:
          k(i, j) = w(i, j) > 0.0 ? degree.sum() * w(i, j) / (degree[i] * degree[j]) : 0.0;
          break;
        case GraphNormalization::lazy_walk:
          k(i, j) = n * ((i == j ? 0.5 : 0.0) + 0.5 * walk);
          break;
        case GraphNormalization::adjacency:
          k(i, j) = w(i, j);
          break;
      }
    }
  }
  return k;
}

Matrix centered(const Matrix& k) {
  const Index n = k.rows();
  const Matrix p = Matrix::Identity(n, n) - Matrix::Constant(n, n, 1.0 / static_cast<double>(n));
  return p * k * p;
}

Matrix normalized(const Matrix& k) {
  const Vector d = k.rowwise().mean();
  Matrix result = k;
  for (Index i = 0; i < k.rows(); ++i) {
    for (Index j = 0; j < k.cols(); ++j) {
      result(i, j) = d[i] > 0.0 && d[j] > 0.0 ? k(i, j) / std::sqrt(d[i] * d[j]) : 0.0;
    }
  }
  return result;
}

GramCase point_case(std::string name, const Matrix& x, const Kernel& kernel,
                    const KernelFunction& k, const Device& device) {
  return {std::move(name),
          [x, kernel, device](int threads) {
            return std::make_unique<PointGram<double>>(x, kernel, threads, Tiles::evaluated,
                                                       std::stop_token(), device);
          },
          kernel_matrix(x, k), [x] { return NewSamples{x}; }};
}

GramCase sparse_point_case(std::string name, const Matrix& x, const Kernel& kernel,
                           const KernelFunction& k) {
  return {std::move(name),
          [x, kernel](int threads) {
            return std::make_unique<PointGram<double>>(to_csr(x), kernel, threads);
          },
          kernel_matrix(x, k), [x] { return NewSamples{to_csr(x)}; }};
}

GramCase graph_case(std::string name, const Matrix& w, GraphNormalization normalization,
                    const Device& device) {
  GramCase result{
      std::move(name),
      [w, normalization, device](int threads) {
        return std::make_unique<GraphGram>(
            to_csr(w),
            GraphGramOptions{.normalization = normalization, .threads = threads, .device = device});
      },
      graph_kernel(w, normalization), [w] { return NewSamples{to_csr(w)}; }};
  // In the lazy walk, the row of a new node lacks the I/2 of a known one.
  if (normalization == GraphNormalization::lazy_walk) result.self_term = 0.5;
  return result;
}

Matrix smoothed(const Matrix& w, const Matrix& x, Index steps) {
  const Index n = w.rows();
  const Matrix looped = w + Matrix::Identity(n, n);
  const Vector degree = looped.rowwise().sum();
  Matrix walk(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j) walk(i, j) = looped(i, j) / std::sqrt(degree[i] * degree[j]);
  }
  Matrix result = x;
  for (Index step = 0; step < steps; ++step) result = walk.lazyProduct(result).eval();
  return result;
}

namespace {

// Edges and features; features alone if nothing is smoothed.
std::function<NewSamples()> smoothed_samples(const Matrix& w, const Matrix& x, Index steps) {
  return [=] {
    if (steps == 0) return NewSamples{x};
    return NewSamples{std::vector<NewSamples>{{to_csr(w)}, {x}}};
  };
}

}  // namespace

GramCase smoothed_case(std::string name, const Matrix& w, const Matrix& x, Index steps,
                       bool cosine) {
  Matrix phi = smoothed(w, x, steps);
  for (Index i = 0; cosine && i < phi.rows(); ++i) {
    if (phi.row(i).norm() > 0.0) phi.row(i) /= phi.row(i).norm();
  }
  return {std::move(name),
          [=](int threads) {
            return std::make_unique<SmoothedGram>(std::make_shared<SmoothedFeatures>(
                to_csr(w), std::make_shared<CsrMatrix>(to_csr(x)), steps, cosine, threads));
          },
          phi.lazyProduct(phi.transpose()), smoothed_samples(w, x, steps)};
}

GramCase smoothed_point_case(std::string name, const Matrix& w, const Matrix& x, Index steps,
                             const Kernel& kernel, const KernelFunction& k) {
  return {std::move(name),
          [=](int threads) {
            auto features = std::make_shared<SmoothedFeatures>(
                to_csr(w), std::make_shared<CsrMatrix>(to_csr(x)), steps, false, threads);
            return std::make_unique<SmoothedPointGram>(
                std::make_unique<PointGram<double>>(features->dense(), kernel, threads), features);
          },
          kernel_matrix(smoothed(w, x, steps), k), smoothed_samples(w, x, steps)};
}

GramCase dense_case(std::string name, const Matrix& k) {
  return {std::move(name), [k](int threads) { return std::make_unique<DenseGram>(k, threads); }, k,
          [k] { return NewSamples{k}; }};
}

GramCase centered_case(std::string name, const GramCase& base) {
  return {std::move(name),
          [base](int threads) { return std::make_unique<CenteredGram>(base.make(threads)); },
          centered(base.kernel), base.as_new, base.self_term};
}

GramCase normalized_case(std::string name, const GramCase& base) {
  return {std::move(name),
          [base](int threads) { return std::make_unique<NormalizedGram>(base.make(threads)); },
          normalized(base.kernel), base.as_new};
}

GramCase sum_case(std::string name, const GramCase& a, const GramCase& b) {
  return {std::move(name),
          [a, b](int threads) {
            std::vector<std::unique_ptr<GramOperator>> parts;
            parts.push_back(a.make(threads));
            parts.push_back(b.make(threads));
            return std::make_unique<SumGram>(std::move(parts), std::vector<double>{0.7, 0.4});
          },
          0.7 * a.kernel + 0.4 * b.kernel,
          [a, b] {
            return NewSamples{std::vector<NewSamples>{a.as_new(), b.as_new()}};
          },
          0.7 * a.self_term + 0.4 * b.self_term};
}

KernelFunction rbf(double length_scale) {
  return [=](const Vector& x, const Vector& y) {
    return std::exp(-(x - y).squaredNorm() / (2.0 * length_scale * length_scale));
  };
}

std::vector<Device> other_devices() {
  std::vector<Device> devices{handle::test_device()};
  for (const std::string& name : Device::names()) {
    if (const Device device = Device::named(name); device.backend()) devices.push_back(device);
  }
  return devices;
}

std::vector<GramCase> gram_cases() {
  const Matrix x = random_matrix(kSamples, 3, 11);
  const Matrix w = two_component_graph(kSamples, 12);
  const Matrix looped = w + Matrix(0.5 * Matrix::Identity(kSamples, kSamples));
  const auto matern32 = [](const Vector& a, const Vector& b) {
    const double t = std::sqrt(3.0) * (a - b).norm() / 2.0;
    return (1.0 + t) * std::exp(-t);
  };
  const auto laplacian = [](const Vector& a, const Vector& b) {
    return std::exp(-(a - b).lpNorm<1>() / 3.0);
  };
  const auto quadratic = [](const Vector& a, const Vector& b) {
    return std::pow(0.5 * a.dot(b) + 1.0, 2.0);
  };
  const auto linear = [](const Vector& a, const Vector& b) { return a.dot(b); };

  using enum GraphNormalization;
  std::vector<GramCase> all;
  all.push_back(point_case("points_rbf", x, Kernel::rbf(1.5), rbf(1.5)));
  all.push_back(point_case("points_laplacian", x, Kernel::laplacian(3.0), laplacian));
  all.push_back(point_case("points_matern32", x, Kernel::matern32(2.0), matern32));
  all.push_back(point_case("points_quadratic", x, Kernel::polynomial(2, 0.5, 1.0), quadratic));
  all.push_back(point_case("points_linear", x, Kernel::linear(), linear));
  all.push_back(graph_case("graph_symmetric", w, symmetric));
  all.push_back(graph_case("graph_symmetric_self_loops", looped, symmetric));
  all.push_back(graph_case("graph_probability", w, probability));
  all.push_back(graph_case("graph_lazy_walk", w, lazy_walk));
  all.push_back(graph_case("graph_adjacency", w, adjacency));
  const GramCase points = all[0], graph = all[5], lazy = all[8];
  all.push_back(dense_case("dense_semidefinite", points.kernel));
  all.push_back(
      dense_case("dense_indefinite", with_spectrum(Vector::LinSpaced(kSamples, -7.0, 20.0), 13)));
  all.push_back(centered_case("centered_points", points));
  all.push_back(centered_case("centered_graph", graph));
  all.push_back(normalized_case("normalized_points", points));
  all.push_back(sum_case("sum_of_points", points, all[1]));
  all.push_back(sum_case("sum_of_points_and_graph", points, graph));
  all.push_back(centered_case("centered_lazy_walk", lazy));
  all.push_back(sum_case("sum_of_points_and_lazy_walk", points, lazy));
  Matrix words = random_matrix(kSamples, 40, 14);  // more features than samples, most of them 0
  words = (words.array() > 0.8).select(words, 0.0);
  const GramCase cosine = smoothed_case("smoothed_cosine", w, words, 2, true);
  all.push_back(cosine);
  all.push_back(smoothed_case("smoothed_linear", w, x, 3, false));
  all.push_back(smoothed_case("features_cosine", w, words, 0, true));
  all.push_back(smoothed_point_case("smoothed_rbf", w, x, 2, Kernel::rbf(0.5), rbf(0.5)));
  all.push_back(normalized_case("normalized_smoothed", cosine));
  all.push_back(sum_case("sum_of_smoothed_and_lazy_walk", cosine, lazy));
  const Matrix holes = (x.array().abs() > 0.3).select(x, 0.0);
  const GramCase sparse = sparse_point_case("sparse_points_rbf", holes, Kernel::rbf(1.5), rbf(1.5));
  all.push_back(sparse);
  all.push_back(sparse_point_case("sparse_points_linear", words, Kernel::linear(), linear));
  all.push_back(centered_case("centered_sparse_points", sparse));
  for (const Device& device : other_devices()) {
    const std::size_t first = all.size();
    const auto named = [&](const char* name) { return fmt::format("{}_{}", device.name(), name); };
    const GramCase on_points =
        point_case(named("points_rbf"), x, Kernel::rbf(1.5), rbf(1.5), device);
    const GramCase on_graph = graph_case(named("graph_symmetric"), w, symmetric, device);
    all.push_back(on_points);
    all.push_back(on_graph);
    all.push_back(graph_case(named("graph_lazy_walk"), w, lazy_walk, device));
    all.push_back(centered_case(named("centered_points"), on_points));
    all.push_back(normalized_case(named("normalized_points"), on_points));
    all.push_back(sum_case(named("sum_of_points_and_graph"), on_points, on_graph));
    if (device == handle::test_device()) continue;  // its products are those of the host
    all.push_back(
        point_case(named("points_laplacian"), x, Kernel::laplacian(3.0), laplacian, device));
    all.push_back(point_case(named("points_matern32"), x, Kernel::matern32(2.0), matern32, device));
    all.push_back(point_case(named("points_quadratic"), x, Kernel::polynomial(2, 0.5, 1.0),
                             quadratic, device));
    all.push_back(point_case(named("points_linear"), x, Kernel::linear(), linear, device));
    all.push_back(graph_case(named("graph_probability"), w, probability, device));
    all.push_back(graph_case(named("graph_adjacency"), w, adjacency, device));
    for (std::size_t k = first; k < all.size(); ++k) all[k].device = device;
  }
  return all;
}

}  // namespace stkr::cases
