#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stkr/estimator/recipe.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// The families of the grid, in grid order.
enum class Family { power, polynomial, inverse_laplacian, diffusion, top_d, label_propagation };
const char* to_string(Family family);   // "power", "inverse-laplacian", ...
const char* short_name(Family family);  // "poly", "lap", "topd", "lp", ... as in the paper's tables
bool has_ridge(Family family);          // all but label propagation

// Every combination that selection tries. A family without parameters is left out. Defaults: the
// grid of the paper's experiments, with relative ridges for its β.
struct Grid {
  std::vector<double> powers{1, 2, 4, 6, 8};       // p of s(λ) = λ^p
  std::vector<std::vector<double>> polynomials{};  // π of s(λ) = Σ π_p λ^p
  // η in (0, 1): in units of 1/λ₁, which is 1 on graphs and normalized kernels.
  std::vector<double> etas{0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
  std::vector<double> times{};                           // t of the diffusion
  std::vector<Index> dimensions{32, 64, 128, 256, 512};  // d of kernel PCA
  // Ridges in units of the mean diagonal of G_{K̂_s,n}; the paper's β, where given, in their place.
  std::vector<double> ridges{1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
  std::vector<double> betas{};
  std::vector<double> propagation_etas{0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
  std::vector<int> propagation_steps{1, 2, 4, 8, 16, 32};  // T of label propagation
};

// Throws ValueError, with the value and what is allowed, for β ≤ 0, η outside (0, 1), p < 1, t ≤ 0,
// d < 1, T < 1, a value listed twice, or a grid without any point.
void check_grid(const Grid& grid);

// The parameters of a family as numbers to show; a polynomial's is its place in the list.
std::vector<double> family_parameters(const Grid& grid, Family family);

// The ridge of a grid point.
struct GridRidge {
  double ridge = 0.0;  // relative; 0 where β is given
  double beta = 0.0;   // the paper's; 0 where it is relative
  // β for n labels and the unit of G_{K̂_s,n} (estimator/ridge_unit).
  double beta_for(Index n, double unit) const;
  bool operator==(const GridRidge&) const = default;
};
std::vector<GridRidge> grid_ridges(const Grid& grid);

// The paper's grid of β instead of relative ridges.
Grid with_paper_betas(Grid grid = {});

struct GridPoint {
  Family family = Family::power;
  double parameter = 0.0;   // p, η, t or d; for a polynomial its place in Grid::polynomials
  double beta = 0.0;        // the paper's; 0 for a relative ridge and for label propagation
  int iterations = 0;       // T of label propagation
  bool class_mass = false;  // answers by class-mass normalized scores
  std::size_t kernel = 0;   // where several are tried: its place in Selection::kernels
  double ridge = 0.0;       // relative; 0 where β is given

  bool operator==(const GridPoint&) const = default;
};

// All points, families in order, parameters in the order given, then β or T in the order given.
std::vector<GridPoint> grid_points(const Grid& grid);

std::string describe(const GridPoint& point, const Grid& grid);  // "inverse-laplacian eta=0.99"

// `recipe` with the point's method, transform and ridge filled in. η becomes point.parameter/λ₁. A
// `beta` above 0 is used for the ridge: what the point had where it was scored.
Recipe recipe_of(const GridPoint& point, const Grid& grid, double largest_eigenvalue, Recipe recipe,
                 double beta = 0.0);

}  // namespace stkr
