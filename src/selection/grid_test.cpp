#include "stkr/selection/grid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::grid_test {
namespace {

using ::stkr::testing::message_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Grid empty_grid() {
  Grid grid;
  grid.powers = {};
  grid.etas = {};
  grid.dimensions = {};
  grid.ridges = {};
  grid.propagation_etas = {};
  grid.propagation_steps = {};
  return grid;
}

// The error message for the default grid with one list replaced.
template <class Values>
std::string complaint(Values Grid::*list, Values values) {
  Grid grid;
  grid.*list = std::move(values);
  return message_of<ValueError>([&] { check_grid(grid); });
}

TEST(Grid, IsThePapersByDefault) {
  const Grid grid;
  EXPECT_NO_THROW(check_grid(grid));
  // 5 powers, 8 η and 5 d with 12 ridges each; 8 η with 6 T.
  EXPECT_EQ(grid_points(grid).size(), (5u + 8u + 5u) * 12u + 8u * 6u);
  for (const GridPoint& point : grid_points(grid)) {
    EXPECT_EQ(point.beta, 0.0);
    EXPECT_EQ(point.ridge > 0.0, has_ridge(point.family));
  }
}

TEST(Grid, HasThePapersBetaWhereAskedFor) {
  const Grid grid = with_paper_betas();
  EXPECT_THAT(grid.betas,
              ElementsAre(1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8));
  EXPECT_EQ(grid_points(grid).size(), grid_points(Grid{}).size());
  for (const GridPoint& point : grid_points(grid)) {
    EXPECT_EQ(point.ridge, 0.0);
    EXPECT_EQ(point.beta > 0.0, has_ridge(point.family));
  }
}

TEST(Grid, TakesARidgeInUnitsOfTheKernelOrBetaAsItIs) {
  EXPECT_DOUBLE_EQ((GridRidge{0.1, 0.0}.beta_for(20, 50.0)), 0.1 * 50.0 / 20.0);
  EXPECT_DOUBLE_EQ((GridRidge{0.0, 0.3}.beta_for(20, 50.0)), 0.3);
  Grid grid;
  grid.ridges = {1.0, 0.1};
  EXPECT_THAT(grid_ridges(grid), ElementsAre(GridRidge{1.0, 0.0}, GridRidge{0.1, 0.0}));
  grid.betas = {2.0};
  EXPECT_THAT(grid_ridges(grid), ElementsAre(GridRidge{0.0, 2.0}));
}

TEST(Grid, ListsItsPointsFamilyByFamilyInTheOrderGiven) {
  Grid grid = empty_grid();
  grid.powers = {2, 1};
  grid.polynomials = {{1.0, 0.5}};
  grid.betas = {0.1, 10};
  grid.propagation_etas = {0.9};
  grid.propagation_steps = {8, 2};
  EXPECT_THAT(
      grid_points(grid),
      ElementsAre(GridPoint{Family::power, 2, 0.1, 0}, GridPoint{Family::power, 2, 10, 0},
                  GridPoint{Family::power, 1, 0.1, 0}, GridPoint{Family::power, 1, 10, 0},
                  GridPoint{Family::polynomial, 0, 0.1, 0}, GridPoint{Family::polynomial, 0, 10, 0},
                  GridPoint{Family::label_propagation, 0.9, 0, 8},
                  GridPoint{Family::label_propagation, 0.9, 0, 2}));
}

TEST(Grid, RejectsValuesOutsideTheirDomain) {
  EXPECT_THAT(complaint(&Grid::betas, {1.0, 0.0}), HasSubstr("beta = 0; expected a positive"));
  EXPECT_THAT(complaint(&Grid::betas, {-1e-3}), HasSubstr("beta = -0.001"));
  EXPECT_THAT(complaint(&Grid::betas, {kNan}), HasSubstr("beta = nan"));
  EXPECT_THAT(complaint(&Grid::betas, {kInfinity}), HasSubstr("beta = inf"));
  EXPECT_THAT(complaint(&Grid::ridges, {1.0, 0.0}), HasSubstr("ridge = 0; expected a positive"));
  EXPECT_THAT(complaint(&Grid::ridges, {kNan}), HasSubstr("ridge = nan"));
  EXPECT_THAT(complaint(&Grid::etas, {0.5, 1.0}), HasSubstr("eta = 1"));
  EXPECT_THAT(complaint(&Grid::etas, {1.5}), HasSubstr("between 0 and 1"));
  EXPECT_THAT(complaint(&Grid::etas, {0.0}), HasSubstr("eta = 0"));
  EXPECT_THAT(complaint(&Grid::etas, {-0.5}), HasSubstr("eta = -0.5"));
  EXPECT_THAT(complaint(&Grid::etas, {kNan}), HasSubstr("eta = nan"));
  EXPECT_THAT(complaint(&Grid::powers, {0.5}), HasSubstr("p = 0.5; expected a power of 1 or more"));
  EXPECT_THAT(complaint(&Grid::powers, {kInfinity}), HasSubstr("p = inf"));
  EXPECT_THAT(complaint(&Grid::times, {0.0}), HasSubstr("t = 0"));
  EXPECT_THAT(complaint(&Grid::dimensions, {0}), HasSubstr("d = 0; expected 1 or more"));
  EXPECT_THAT(complaint(&Grid::dimensions, {-3}), HasSubstr("d = -3"));
  EXPECT_THAT(complaint(&Grid::propagation_etas, {1.0}), HasSubstr("eta of label propagation = 1"));
  EXPECT_THAT(complaint(&Grid::propagation_steps, {0}), HasSubstr("T = 0"));
  EXPECT_THAT(complaint(&Grid::polynomials, {{0.0, 0.0}}), HasSubstr("polynomial"));
  EXPECT_THAT(complaint(&Grid::polynomials, {{}}), HasSubstr("polynomial"));
  EXPECT_THAT(complaint(&Grid::polynomials, {{kNan}}), HasSubstr("polynomial"));
}

TEST(Grid, RejectsAValueListedTwice) {
  EXPECT_THAT(complaint(&Grid::betas, {1.0, 0.1, 1.0}), HasSubstr("beta = 1 is listed twice"));
  EXPECT_THAT(complaint(&Grid::ridges, {1.0, 0.1, 0.1}), HasSubstr("ridge = 0.1 is listed twice"));
  EXPECT_THAT(complaint(&Grid::etas, {0.9, 0.9}), HasSubstr("eta = 0.9 is listed twice"));
  EXPECT_THAT(complaint(&Grid::powers, {2.0, 2.0}), HasSubstr("p = 2 is listed twice"));
  EXPECT_THAT(complaint(&Grid::times, {1.0, 1.0}), HasSubstr("t = 1 is listed twice"));
  EXPECT_THAT(complaint(&Grid::dimensions, {8, 8}), HasSubstr("d = 8 is listed twice"));
  EXPECT_THAT(complaint(&Grid::propagation_steps, {4, 4}), HasSubstr("T = 4 is listed twice"));
  EXPECT_THAT(complaint(&Grid::polynomials, {{1.0, 2.0}, {1.0, 2.0}}), HasSubstr("listed twice"));
}

TEST(Grid, RejectsAGridWithoutAnyPoint) {
  EXPECT_THROW(check_grid(empty_grid()), ValueError);
  Grid grid = empty_grid();
  grid.powers = {1};  // but no ridge
  EXPECT_THROW(check_grid(grid), ValueError);
  grid.betas = {1};
  EXPECT_NO_THROW(check_grid(grid));
  grid.betas = {};
  grid.ridges = {1};
  EXPECT_NO_THROW(check_grid(grid));
  grid = empty_grid();
  grid.propagation_etas = {0.5};  // but no T
  EXPECT_THROW(check_grid(grid), ValueError);
  grid.propagation_steps = {2};
  EXPECT_NO_THROW(check_grid(grid));
}

TEST(Grid, DescribesItsPoints) {
  Grid grid;
  grid.polynomials = {{1.0, 0.5}};
  EXPECT_EQ(describe({Family::power, 2.5}, grid), "power p=2.5");
  EXPECT_EQ(describe({Family::polynomial, 0}, grid), "polynomial [1 0.5]");
  EXPECT_EQ(describe({Family::inverse_laplacian, 0.999999}, grid),
            "inverse Laplacian eta=0.999999");
  EXPECT_EQ(describe({Family::diffusion, 3}, grid), "diffusion t=3");
  EXPECT_EQ(describe({Family::top_d, 512}, grid), "kernel PCA d=512");
  EXPECT_EQ(describe({Family::label_propagation, 0.7, 0, 4}, grid), "label propagation eta=0.7");
}

template <class Form>
Form form_of(const Specification& spec) {
  return std::get<Form>(std::get<StkrSpec>(spec.method).transform.value().form());
}

TEST(Grid, MakesASpecificationOfAPointAndKeepsTheRest) {
  Grid grid;
  grid.polynomials = {{1.0}, {0.0, 2.0}};
  Specification base;
  base.kernel = PointKernelSpec{};
  base.center = true;
  const auto of = [&](GridPoint point) { return specification_of(point, grid, 4.0, base); };
  const auto beta_of = [](const Specification& spec) {
    return std::get<PaperBeta>(*ridge_of(spec.method)).value;  // no relative ridge
  };
  const Specification power = of({Family::power, 2.5, 0.1});
  EXPECT_EQ(form_of<PowerTransform>(power).exponent, 2.5);
  EXPECT_EQ(beta_of(power), 0.1);
  EXPECT_EQ(power.kernel, base.kernel);
  EXPECT_TRUE(power.center);
  EXPECT_EQ(form_of<PolynomialTransform>(of({Family::polynomial, 1, 0.1})).coefficients,
            (std::vector<double>{0.0, 2.0}));
  EXPECT_EQ(form_of<InverseLaplacianTransform>(of({Family::inverse_laplacian, 0.8, 1})).eta,
            0.2);  // η/λ₁
  EXPECT_EQ(form_of<DiffusionTransform>(of({Family::diffusion, 3, 1})).time, 3.0);
  EXPECT_EQ(std::get<KernelPcaSpec>(of({Family::top_d, 32, 1}).method).dimension, 32);
  EXPECT_EQ(beta_of(of({Family::top_d, 32, 1})), 1.0);
  const Specification propagation = of({Family::label_propagation, 0.8, 0, 16});
  EXPECT_EQ(std::get<LabelPropagationSpec>(propagation.method).eta, 0.2);
  EXPECT_EQ(std::get<LabelPropagationSpec>(propagation.method).iterations, 16);
  EXPECT_EQ(ridge_of(propagation.method), nullptr);
  // A relative ridge stays relative, unless the β with which it was scored is known.
  GridPoint relative{Family::power, 2.0};
  relative.ridge = 0.1;
  EXPECT_EQ(std::get<RelativeRidge>(*ridge_of(of(relative).method)).value, 0.1);
  EXPECT_EQ(beta_of(specification_of(relative, grid, 4.0, base, 7.0)), 7.0);
}

TEST(Grid, KeepsTheSolverAndToleranceOfASpecification) {
  Specification base;
  base.method = StkrSpec{.solver = StkrSolver::cg, .tolerance = 1e-5, .max_iterations = 77};
  const auto of = [&](Family family, double parameter) {
    return specification_of({family, parameter, 0.1}, Grid{}, 1.0, base);
  };
  for (const auto& [family, parameter] : {std::pair{Family::power, 2.0},
                                          {Family::inverse_laplacian, 0.9},
                                          {Family::diffusion, 1.0}}) {
    const auto method = std::get<StkrSpec>(of(family, parameter).method);
    EXPECT_EQ(method.solver, StkrSolver::cg);
    EXPECT_EQ(method.tolerance, 1e-5);
    EXPECT_EQ(method.max_iterations, 77);
  }
  // Another method has none of these settings.
  EXPECT_TRUE(std::holds_alternative<KernelPcaSpec>(of(Family::top_d, 4).method));
  base.method = LabelPropagationSpec{.tolerance = 1e-4};
  EXPECT_EQ(std::get<LabelPropagationSpec>(of(Family::label_propagation, 0.9).method).tolerance,
            1e-4);
}

}  // namespace
}  // namespace stkr::grid_test
