#include "selection/automatic_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "kernel/bandwidth.hpp"
#include "specification/kernel_names.hpp"

namespace stkr {
namespace {

// An RBF that covers about so many neighbors finds clusters without density gaps between them,
// where neighbor graphs see only noise.
constexpr double kEffectiveNeighbors = 50.0;
// Many features are mostly noise, and a few principal components find better neighbors: from so
// many features on, search in so many components. docs/selection.md has measurements.
constexpr Index kManyFeatures = 100;
constexpr Index kComponents = 50;
// With few labels a neighbor graph is the better guess; one nat is odds of e to 1. Measured on the
// design sets of docs/points.md.
constexpr double kForNeighborGraphs = 1.0;

class Candidates {
 public:
  explicit Candidates(const Specification& spec) : spec_(spec) {}

  void add(const KernelSpec& kernel, double preference = 0.0, bool center = false) {
    AutomaticCandidate candidate{spec_, describe(kernel, true), preference};
    candidate.spec.kernel = kernel;
    candidate.spec.center = candidate.spec.center || center;
    if (center) candidate.description += ", centered";
    all_.push_back(std::move(candidate));
  }
  void add(Specification spec, std::string description) {
    all_.push_back({std::move(spec), std::move(description), 0.0});
  }
  std::vector<AutomaticCandidate> take() { return std::move(all_); }

 private:
  const Specification& spec_;
  std::vector<AutomaticCandidate> all_;
};

// Whether all rows have the same length, as those of TF-IDF usually do: the linear kernel is then
// the cosine kernel up to a factor, which the ridge undoes.
bool equally_long(const CsrMatrix& rows) {
  double least = std::numeric_limits<double>::infinity(), most = 0.0;
  for (Index i = 0; i < rows.rows; ++i) {
    double square = 0.0;
    for (std::int64_t p = rows.row_start[i]; p < rows.row_start[i + 1]; ++p) {
      square += rows.value[p] * rows.value[p];
    }
    least = std::min(least, square);
    most = std::max(most, square);
  }
  return most - least <= 1e-9 * most;
}

// The kernels of sparse points that are linear in them.
std::vector<Kernel> linear_kernels(const FeatureMatrix& values) {
  if (equally_long(*values.sparse())) return {Kernel::cosine()};
  return {Kernel::cosine(), Kernel::linear()};
}

// Sparse points are mostly words: the angle between two texts says more than their distance, which
// grows with their length.
void add_for_sparse_classes(const FeatureMatrix& values, bool eta_given, bool all,
                            Candidates& candidates) {
  const Index points = values.rows();
  const Index k = usual_neighbors(points);
  candidates.add(NeighborGraphSpec{.neighbors = k, .weight = EdgeWeight::cosine},
                 kForNeighborGraphs);
  if (!all) return;
  if (points > 20) {
    candidates.add(NeighborGraphSpec{.neighbors = 5, .weight = EdgeWeight::cosine},
                   kForNeighborGraphs);
  }
  candidates.add(NeighborGraphSpec{.neighbors = k}, kForNeighborGraphs);
  if (points > kMostDense || eta_given) return;
  for (const Kernel& kernel : linear_kernels(values)) {
    candidates.add(PointKernelSpec{.kernel = kernel, .normalize = false}, 0.0, true);
  }
}

void add_for_sparse_numbers(const FeatureMatrix& values, bool all, Candidates& candidates) {
  const Index points = values.rows();
  if (points <= kMostDense) {
    for (const Kernel& kernel : linear_kernels(values)) {
      candidates.add(PointKernelSpec{.kernel = kernel, .normalize = false});
      if (!all) return;
    }
  }
  candidates.add(
      NeighborGraphSpec{.neighbors = usual_neighbors(points), .weight = EdgeWeight::cosine});
}

void add_for_classes(const FeatureMatrix& values, bool eta_given, bool all, std::uint64_t seed,
                     Candidates& candidates) {
  const Index points = values.rows();
  NeighborGraphSpec graph = usual_neighbor_graph(points, values.cols());
  candidates.add(graph, kForNeighborGraphs);
  if (points > kMostDense || !all) return;
  const Index k = *graph.neighbors;
  graph.neighbors = 5;
  if (points > 20) candidates.add(graph, kForNeighborGraphs);
  if (points > 2 * k) {
    // Four digits, so that the option that repeats it stays readable.
    const double scale = std::stod(
        fmt::format("{:.4g}", effective_neighbor_scale(values, kEffectiveNeighbors, seed)));
    candidates.add(PointKernelSpec{.length_scale = LengthScale::absolute(scale)});
  }
  // η that is given means the same for kernels with λ₁ = 1 only.
  if (values.cols() > 2 && !eta_given) {
    candidates.add(PointKernelSpec{.kernel = Kernel::cosine(), .normalize = false}, 0.0, true);
  }
}

void add_for_numbers(Index points, Index features, bool all, Candidates& candidates) {
  if (points <= kMostDense) {
    for (const double scale : {1.0, 2.0, 4.0, 8.0}) {
      if (!all && scale > 1.0) return;
      candidates.add(PointKernelSpec{.length_scale = {.value = scale}, .normalize = false});
    }
    if (features > 1)
      candidates.add(PointKernelSpec{.kernel = Kernel::linear(), .normalize = false});
  }
  candidates.add(usual_neighbor_graph(points, features));
}

// The walk; node features as they are and averaged over the graph; and sums of two of these, which
// are better than either where features and neighbors say different things (docs/selection.md).
void add_for_nodes(const Specification& spec, bool all, Candidates& candidates) {
  const KernelSpec walk = GraphKernelSpec{};
  candidates.add(walk);
  if (!all) return;
  const auto smoothed = [](Index steps) {
    return PointKernelSpec{.kernel = Kernel::cosine(), .smoothing = steps};
  };
  const auto add = [&](std::vector<AddedKernel> kernels, std::string description) {
    Specification with = spec;
    with.kernel = walk;  // the shares of the others leave none for it
    with.added = std::move(kernels);
    candidates.add(std::move(with), std::move(description));
  };
  for (const Index steps : {0, 1, 2, 4, 8}) {
    add({{smoothed(steps), 1.0}}, fmt::format("cosine of features smoothed {} times", steps));
  }
  for (const auto& [share, few, many] : {std::tuple(0.2, 0, 2), {0.2, 0, 4}, {0.5, 2, 8}}) {
    add({{smoothed(few), share}, {smoothed(many), 1.0 - share}},
        fmt::format("cosines of features smoothed {} ({:g}) and {} times ({:g})", few, share, many,
                    1.0 - share));
  }
}

// Whether a kernel of node features that is linear in them takes part.
bool of_features(const Specification& spec) {
  return spec.kernel.takes_graph() &&
         std::any_of(spec.added.begin(), spec.added.end(), [](const AddedKernel& added) {
           const auto* points = added.kernel.get_if<PointKernelSpec>();
           return points && points->has_factors();
         });
}

}  // namespace

Index usual_neighbors(Index points) {
  const auto wanted =
      std::max<Index>(10, static_cast<Index>(std::ceil(std::log2(static_cast<double>(points)))));
  return std::min(wanted, points - 1);
}

NeighborGraphSpec usual_neighbor_graph(Index points, Index features) {
  return {.neighbors = usual_neighbors(points),
          .components = features > kManyFeatures ? kComponents : 0};
}

bool kernel_open(const Specification& spec) {
  const auto* kernel = spec.kernel.get_if<AutomaticKernelSpec>();
  return kernel && *kernel == AutomaticKernelSpec{} && spec.added.empty();
}

bool is_open(const Specification& spec, bool kernel) {
  const auto* stkr = std::get_if<StkrSpec>(&spec.method);
  if (!stkr || !stkr->average.empty()) return false;
  const bool transform = stkr->learned || (!stkr->transform && stkr->automatic);
  return (kernel && kernel_open(spec)) || transform ||
         std::holds_alternative<std::monostate>(stkr->ridge);
}

AutomaticCandidate named_candidate(DatasetKind kind, const Specification& spec) {
  return {spec, describe(spec.kernel.resolved(kind), true), 0.0};
}

std::vector<AutomaticCandidate> automatic_candidates(const Dataset& dataset,
                                                     const Specification& spec, bool all,
                                                     const Context& context) {
  Candidates candidates(spec);
  if (kernel_open(spec) && dataset.kind() == DatasetKind::graph && dataset.features) {
    add_for_nodes(spec, all, candidates);
    return candidates.take();
  }
  if (kernel_open(spec) && dataset.kind() == DatasetKind::points && dataset.size() > 2) {
    const FeatureMatrix& values = dataset.points().values;
    const bool sparse = values.sparse() != nullptr;
    if (std::holds_alternative<TargetValues>(dataset.labels)) {
      sparse ? add_for_sparse_numbers(values, all, candidates)
             : add_for_numbers(values.rows(), values.cols(), all, candidates);
    } else {
      const auto* stkr = std::get_if<StkrSpec>(&spec.method);
      const bool eta = stkr && stkr->transform &&
                       std::holds_alternative<InverseLaplacianTransform>(stkr->transform->form());
      sparse ? add_for_sparse_classes(values, eta, all, candidates)
             : add_for_classes(values, eta, all, context.seed, candidates);
    }
    return candidates.take();
  }
  return {named_candidate(dataset.kind(), spec)};
}

std::optional<AutomaticCandidate> only_candidate(const ProblemShape& points, bool numbers,
                                                 const Specification& spec) {
  if (points.kind != DatasetKind::points || !kernel_open(spec) || points.feature_entries > 0 ||
      points.samples <= kMostDense) {
    return std::nullopt;
  }
  Candidates candidates(spec);
  candidates.add(usual_neighbor_graph(points.samples, points.features),
                 numbers ? 0.0 : kForNeighborGraphs);
  return candidates.take().front();
}

std::optional<Grid> automatic_grid(const Specification& spec, bool regression,
                                   double largest_eigenvalue) {
  const auto& stkr = std::get<StkrSpec>(spec.method);
  Grid grid;
  grid.dimensions.clear();
  grid.propagation_etas.clear();
  if (regression) {
    grid.powers = {1, 2};
    grid.etas = {0.9, 0.99};
    grid.poisson_etas = {0.99, 1.0};
    grid.ridges = {10, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  } else {
    grid.powers = {1, 2, 4, 8};
    grid.etas = {0.9, 0.99, 0.999};
    grid.poisson_etas = {0.9, 0.99, 0.999, 1.0};
    grid.ridges = {1e3, 10, 1, 0.1, 1e-2, 1e-3};
  }
  if (const auto* ridge = std::get_if<RelativeRidge>(&stkr.ridge)) grid.ridges = {ridge->value};
  if (const auto* beta = std::get_if<PaperBeta>(&stkr.ridge)) grid.betas = {beta->value};
  if (!stkr.transform && stkr.automatic) {
    // Dense kernels have no bottlenecks to cross, and η near the limit makes them slow.
    if (spec.kernel.get_if<PointKernelSpec>()) grid.poisson_etas.clear();
    if (of_features(spec)) {
      // A kernel of features is linear in them: low powers say what it can, at a few products.
      grid.powers = {1, 2};
      grid.etas.clear();
      grid.poisson_etas.clear();
    }
    // Class mass scales positive scores, and those of the Poisson transform are centered.
    if (spec.decision.class_mass) grid.poisson_etas.clear();
    return grid;
  }
  grid.powers.clear();
  grid.etas.clear();
  grid.poisson_etas.clear();
  if (!stkr.transform) {
    grid.etas = {0.99};
    return grid;
  }
  const SpectralTransform::Form& form = stkr.transform->form();
  if (const auto* power = std::get_if<PowerTransform>(&form)) {
    grid.powers = {power->exponent};
  } else if (const auto* polynomial = std::get_if<PolynomialTransform>(&form)) {
    grid.polynomials = {polynomial->coefficients};
  } else if (const auto* laplacian = std::get_if<InverseLaplacianTransform>(&form)) {
    if (!(laplacian->eta * largest_eigenvalue < 1.0)) return std::nullopt;
    grid.etas = {laplacian->eta * largest_eigenvalue};
  } else if (const auto* poisson = std::get_if<PoissonTransform>(&form)) {
    grid.poisson_etas = {poisson->eta};
  } else if (const auto* diffusion = std::get_if<DiffusionTransform>(&form)) {
    grid.times = {diffusion->time};
  } else {
    return std::nullopt;
  }
  return grid;
}

}  // namespace stkr
