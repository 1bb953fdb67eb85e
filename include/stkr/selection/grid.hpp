#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stkr/matrix.hpp"
#include "stkr/specification/specification.hpp"

namespace stkr {

// The families of transforms. Checkpoints hold these numbers: new ones come last.
enum class Family {
  power,
  polynomial,
  inverse_laplacian,
  diffusion,
  top_d,
  label_propagation,
  poisson
};
std::string to_string(Family family);     // "power", "inverse-laplacian", ...
bool has_ridge(Family family);            // all except label propagation
std::vector<std::string> family_names();  // of all families, in grid order

// Every combination that selection tries. A family without parameters is left out. Defaults: the
// grid of the paper's experiments, with relative ridges instead of its β.
struct Grid {
  std::vector<double> powers{1, 2, 4, 6, 8};       // p of s(λ) = λ^p
  std::vector<std::vector<double>> polynomials{};  // π of s(λ) = Σ π_p λ^p
  // η in (0, 1): in units of 1/λ₁, which is 1 on graphs and normalized kernels.
  std::vector<double> etas{0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
  std::vector<double> poisson_etas{};                    // η of the Poisson transform, in (0, 1]
  std::vector<double> times{};                           // t of the diffusion
  std::vector<Index> dimensions{32, 64, 128, 256, 512};  // d of kernel PCA
  // Ridges in units of the mean diagonal of G_{K̂_s,n}; replaced by the paper's β if `betas` is
  // given.
  std::vector<double> ridges{1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  std::vector<double> betas{};
  std::vector<double> propagation_etas{0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
  std::vector<int> propagation_steps{1, 2, 4, 8, 16, 32};  // T of label propagation
};

// Throws ValueError, with the value and the allowed range, for β ≤ 0, η outside its range, p < 1,
// t ≤ 0, d < 1, T < 1, a value listed twice, or an empty grid.
void check_grid(const Grid& grid);

// A family's parameters as numbers for display; a polynomial is shown by its position in the list.
std::vector<double> family_parameters(const Grid& grid, Family family);

// The ridge of a grid point.
struct GridRidge {
  double ridge = 0.0;  // relative; 0 if β is given
  double beta = 0.0;   // the paper's; 0 if the ridge is relative
  // β for n labels and the unit of G_{K̂_s,n} (estimator/ridge_unit).
  double beta_for(Index n, double unit) const;
  bool operator==(const GridRidge&) const = default;
};
std::vector<GridRidge> grid_ridges(const Grid& grid);

// The paper's grid of β instead of relative ridges.
Grid with_paper_betas(Grid grid = {});

struct GridPoint {
  Family family = Family::power;
  double parameter = 0.0;   // p, η, t or d; for a polynomial its index in Grid::polynomials
  double beta = 0.0;        // the paper's; 0 for a relative ridge and for label propagation
  int iterations = 0;       // T of label propagation
  bool class_mass = false;  // predict from class-mass normalized scores
  std::size_t kernel = 0;   // index in Selection::kernels, if several are tried
  double ridge = 0.0;       // relative; 0 if β is given

  bool operator==(const GridPoint&) const = default;
};

// All points: families in order, then parameters, then β or T, each in the order given.
std::vector<GridPoint> grid_points(const Grid& grid);

std::string describe(const GridPoint& point, const Grid& grid);  // "inverse-laplacian eta=0.99"

// `spec` with the point's method, transform, ridge and class mass; solver and tolerance stay. η
// becomes point.parameter/λ₁. A `beta` above 0 is used as the ridge: the β with which the point was
// scored. `literal_top_d` as in SelectOptions.
Specification specification_of(const GridPoint& point, const Grid& grid, double largest_eigenvalue,
                               Specification spec, double beta = 0.0, bool literal_top_d = false);

// Transductive: the fit sees the samples it is evaluated on (without their labels). Inductive: it
// does not.
enum class Setting { transductive, inductive };

inline const char* to_string(Setting setting) {
  return setting == Setting::transductive ? "transductive" : "inductive";
}

// Whether grid points predict from class-mass normalized scores; `both` tries each.
enum class ClassMassChoice { off, on, both };

struct GridScore {
  GridPoint point;
  double validation = 0.0;  // on the validation set or held-out labeled samples
  double loss = 0.0;        // smooth_loss on the same samples; breaks ties
  // Standard deviation of the score over the folds; NaN if it was not requested or is undefined.
  double deviation = std::numeric_limits<double>::quiet_NaN();
  double beta = 0.0;                 // the paper's β of a fit to all given labels; 0: none
  std::vector<float> outcomes{};     // per validation sample: see score.hpp
  std::optional<double> test{};      // if there is a test set
  Index validation_no_evidence = 0;  // samples without evidence
  Index test_no_evidence = 0;
};

// The cost of a family, shared by all its grid points.
struct FamilyCost {
  Family family;
  double seconds = 0.0;
  long products = 0;  // block products with S
};

// A grid parameter that cannot be computed, with the reason. The others are still computed.
struct LeftOut {
  Family family;
  double parameter = 0.0;
  std::string reason{};
  std::size_t kernel = 0;  // GridPoint::kernel
};

// The kernels that selection tries, each with the whole grid of transforms and ridges. An empty
// list keeps the specification's setting.
struct KernelGrid {
  // For graphs, graph kernels replace the graph's own kernel, and point kernels replace the kernel
  // of the node features.
  std::vector<KernelSpec> kernels{};
  std::vector<LengthScale> length_scales{};  // of point kernels that have one
  std::vector<Index> neighbor_counts{};      // k of knn
  std::vector<double> mixes{};               // share of the added kernel in the sum, 0 to 1
  // k of smoothed node features. Each k is a gram of its own: products with Φ are never formed, so
  // there is nothing to reuse.
  std::vector<Index> smoothings{};

  bool empty() const {
    return kernels.empty() && length_scales.empty() && neighbor_counts.empty() && mixes.empty() &&
           smoothings.empty();
  }
};

// Throws ValueError, with the value and the allowed range, for scales and counts that are not
// positive, shares outside [0, 1] and a value listed twice.
void check_kernel_grid(const KernelGrid& grid);

struct KernelCandidate {
  Specification spec;
  std::string description;  // "0.75 lazy-walk + 0.25 rbf 0.5x"; empty if only one is tried
};

// Every combination, kernels outermost and mixes innermost, without duplicates: a length scale does
// not change a kernel that has none, and nothing changes a kernel with share 0. With mixes, the
// node features of a graph get their default kernel if `spec` adds none. With smoothings, that is
// cosine, alone (share 1) unless mixes are given. Throws ValueError if mixes are given and there is
// no kernel to add, or more than one, and if smoothings are given for data that are no graph.
std::vector<KernelCandidate> kernel_candidates(const KernelGrid& grid, const Specification& spec,
                                               DatasetKind kind);

}  // namespace stkr
