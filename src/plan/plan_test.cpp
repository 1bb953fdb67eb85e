#include "stkr/plan/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "handle_backend.hpp"
#include "model/fit_method.hpp"
#include "named_specification.hpp"
#include "specification/kernel_cost.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::plan_test {
namespace {

using testing::message_of;

constexpr std::uint64_t kMega = 1'000'000;

ProblemShape points(Index samples) {
  return {.kind = DatasetKind::points,
          .samples = samples,
          .features = 50,
          .labeled = 500,
          .outputs = 10};
}
ProblemShape graph(Index nodes) {
  return {.kind = DatasetKind::graph,
          .samples = nodes,
          .entries = 20 * nodes,
          .labeled = 100,
          .outputs = 10};
}

Specification rounding() {
  Specification spec;
  spec.precision = Precision::single_if_needed;
  return spec;
}

Plan plan_within(const ProblemShape& shape, std::uint64_t memory,
                 const Specification& spec = rounding()) {
  return plan_fit(shape, spec, {.memory = memory});
}

const Strategy& chosen(const Plan& plan) { return plan.strategies.at(plan.chosen.value()); }

TEST(Plan, MemoryGrowsWithTheProblem) {
  const auto peak = [](const ProblemShape& shape, const Specification& spec, std::size_t k) {
    return static_cast<double>(plan_fit(shape, spec).strategies.at(k).peak.total());
  };
  // Strategies for points: tiles kept, then evaluated; for graphs: explicit system, then iterative.
  EXPECT_GT(peak(points(20'000), Specification{}, 0),
            2.5 * peak(points(10'000), Specification{}, 0));
  EXPECT_NEAR(
      peak(graph(8'000'000), Specification{}, 1) / peak(graph(4'000'000), Specification{}, 1), 2,
      0.05);
  ProblemShape more_labels = graph(100'000);
  more_labels.labeled = 5'000;
  EXPECT_GT(peak(more_labels, Specification{}, 0), peak(graph(100'000), Specification{}, 0) + 5e8);
  // The iterative solver's cost of labels is its preconditioner.
  EXPECT_LT(peak(more_labels, Specification{}, 1), 2.0 * peak(graph(100'000), Specification{}, 1));
}

TEST(Plan, EveryMethodAndTransformHasOne) {
  for (const ProblemShape& shape :
       {points(2000), points(50'000), graph(50'000),
        ProblemShape{.kind = DatasetKind::kernel, .samples = 5000, .labeled = 50, .outputs = 2},
        ProblemShape{.samples = 1, .features = 1}}) {
    std::vector<MethodSpec> methods{StkrSpec{}, KernelPcaSpec{}, KernelRidgeSpec{},
                                    LabelPropagationSpec{}};
    for (const SpectralTransform& s :
         {SpectralTransform::inverse_laplacian(0.9), SpectralTransform::power(2),
          SpectralTransform::power(1.5), SpectralTransform::polynomial({1.0, 2.0}),
          SpectralTransform::reciprocal({1.0, -0.5}, 1), SpectralTransform::diffusion(1.0),
          SpectralTransform::truncation(3)}) {
      methods.push_back(StkrSpec{.transform = s});
    }
    for (const MethodSpec& method : methods) {
      Specification spec;
      spec.method = method;
      const Plan plan = plan_fit(shape, spec);
      ASSERT_TRUE(plan.chosen);
      EXPECT_EQ(*plan.chosen, 0u);  // without a limit the first is chosen
      EXPECT_GE(chosen(plan).peak.total(), kernel_cost(shape, spec).samples);
      EXPECT_GE(chosen(plan).work.products, 1.0);
    }
  }
}

// The plan assumes the solver that the kernel gets, not one suggested by its name.
TEST(Plan, KernelsThatAreSemidefiniteShareASolver) {
  const auto products = [](const Kernel& kernel) {
    Specification spec;
    spec.kernel = kernel;
    return plan_fit(points(50'000), spec).strategies.front().work.products;
  };
  EXPECT_NE(products(Kernel::epsilon_neighbor(1)), products(Kernel::rbf(1)));
  EXPECT_EQ(products(Kernel::polynomial(2, 1, 1)), products(Kernel::rbf(1)));
  EXPECT_EQ(products(Kernel::polynomial(2, 1, -1)), products(Kernel::epsilon_neighbor(1)));
}

TEST(Plan, AsMemoryShrinksTheStrategyGetsThriftier) {
  std::size_t last = 0;
  std::uint64_t last_peak = ~std::uint64_t{0};
  std::vector<std::string> names;
  for (std::uint64_t memory = 4000 * kMega;; memory = memory / 100 * 99) {
    const Plan plan = plan_within(points(20'000), memory);
    if (!plan.chosen) break;
    EXPECT_LE(chosen(plan).peak.total(), memory);
    EXPECT_LE(chosen(plan).peak.total(), last_peak);
    EXPECT_GE(*plan.chosen, last);
    last = *plan.chosen;
    last_peak = chosen(plan).peak.total();
    if (names.empty() || names.back() != chosen(plan).name) names.push_back(chosen(plan).name);
  }
  ASSERT_GE(names.size(), 3u);
  EXPECT_EQ(names.front(), "kernel stored, iterative, else explicit system");
  EXPECT_NE(names[1].find("kernel recomputed, "), std::string::npos);
  EXPECT_LT(last_peak, 70 * kMega);
}

TEST(Plan, ColumnsGoInBatchesBeforeAStrategyIsGivenUp) {
  const Plan roomy = plan_within(graph(1'000'000), 8000 * kMega);
  EXPECT_EQ(chosen(roomy).execution.outputs_at_once, 0);
  const Plan tight = plan_within(graph(1'000'000), 900 * kMega);
  EXPECT_GT(chosen(tight).execution.outputs_at_once, 0);
  EXPECT_LT(chosen(tight).execution.block_bytes, chosen(roomy).execution.block_bytes);
  EXPECT_GT(chosen(tight).work.products, chosen(roomy).work.products);
}

TEST(Plan, APrecisionThatWasAskedForIsKept) {
  const ProblemShape shape{.samples = 1'000'000, .features = 5, .labeled = 10, .outputs = 1};
  std::uint64_t in_double = ~std::uint64_t{0}, in_single = in_double;
  for (const Strategy& each : plan_within(shape, 1).strategies) {
    std::uint64_t& least = each.execution.single_precision ? in_single : in_double;
    least = std::min(least, each.peak.total());
  }
  ASSERT_LT(in_single, in_double);
  const std::uint64_t between = (in_single + in_double) / 2;
  EXPECT_TRUE(chosen(plan_within(shape, between)).execution.single_precision);
  EXPECT_NE(plan_within(shape, between).why.find("single"), std::string::npos);
  EXPECT_FALSE(plan_within(shape, between, Specification{}).chosen);
}

TEST(Plan, AnEmbeddingCountsToo) {
  Specification wanted;
  wanted.embedding = 64;
  for (const ProblemShape& shape : {points(1500), points(50'000), graph(1000), graph(1'000'000)}) {
    // The eigenvectors are kept; a dense matrix is diagonalized for up to 1500 samples.
    const auto n = static_cast<std::uint64_t>(shape.samples);
    const std::uint64_t least = n <= 1500 ? 5 * 8 * n * n : 2 * 8 * 64 * n;
    for (const Strategy& strategy : plan_fit(shape, wanted).strategies) {
      EXPECT_GT(strategy.peak.total(), kernel_cost(shape, wanted).samples + least);
    }
    EXPECT_GT(plan_fit(shape, wanted).strategies[0].work.products,
              plan_fit(shape, Specification{}).strategies[0].work.products);
  }
  EXPECT_TRUE(plan_within(graph(1'000'000), 900 * kMega).chosen);
  wanted.precision = Precision::single_if_needed;
  EXPECT_FALSE(plan_within(graph(1'000'000), 900 * kMega, wanted).chosen);
}

TEST(Plan, ReadingCountsToo) {
  ProblemShape shape = points(10'000);
  shape.reading = 900 * kMega;
  EXPECT_TRUE(plan_within(shape, 1000 * kMega).chosen);
  EXPECT_FALSE(plan_within(shape, 800 * kMega).chosen);
  EXPECT_EQ(chosen(plan_within(shape, 1000 * kMega)).peak.phase, "reading");
}

TEST(Plan, WhereNothingFitsTheNumbersAreGiven) {
  const Plan plan = plan_within(graph(1'000'000), 30 * kMega);
  EXPECT_FALSE(plan.chosen);
  const std::string message = message_of<MemoryError>([&] { chosen_execution(plan); });
  for (const char* part : {"30.0 MB", "graph, iterative, else explicit system: ",
                           "graph, iterative: ", "samples 248 MB"}) {
    EXPECT_NE(message.find(part), std::string::npos) << part << " in " << message;
  }
  Dataset moons = two_moons(100, 0.1, 1);
  EXPECT_THROW(fit_model(moons, rounding(), {.memory = kMega}), MemoryError);
  EXPECT_EQ(moons.size(), 100);  // nothing was moved out
}

// The fit does not depend on the plan's settings.
TEST(Plan, CountsTheMemoryOfADevice) {
  Context context;
  context.device = handle::test_device();  // 1 GiB
  const Plan small = plan_fit(graph(10'000), {}, context);
  ASSERT_TRUE(small.chosen.has_value());
  EXPECT_EQ(small.device_memory, std::uint64_t{1} << 30);
  // The matrix and some blocks of ten columns.
  EXPECT_GT(small.strategies.front().device, 12 * 200'000 + 8 * 10'000 * 10);
  EXPECT_LT(small.strategies.front().device, small.device_memory);
  EXPECT_EQ(plan_fit(graph(10'000), {}).strategies.front().device, 0);
  // Fewer columns at a time, and at last nothing fits.
  const Plan large = plan_fit(graph(1'000'000), {}, context);
  ASSERT_TRUE(large.chosen.has_value());
  EXPECT_GT(large.strategies[*large.chosen].execution.outputs_at_once, 0);
  const Plan huge = plan_fit(graph(20'000'000), {}, context);
  EXPECT_FALSE(huge.chosen.has_value());
  EXPECT_NE(message_of<MemoryError>([&] { chosen_execution(huge); }).find("on the device"),
            std::string::npos);
}

TEST(Plan, ExecutionsAgree) {
  Execution thrifty;
  thrifty.block_bytes = 1;
  thrifty.outputs_at_once = 2;
  thrifty.factorize_below = thrifty.diagonalize_below = 0;
  Execution iterative = thrifty;
  iterative.most_direct = 0;
  Execution kept;
  kept.tiles = Tiles::kept;
  const auto fitted = [](Dataset dataset, const Specification& spec, const Execution& execution) {
    keep_only(dataset.labels, labeled_per_class(std::get<ClassLabels>(dataset.labels), 5, 1));
    const EncodedTargets targets = encode_targets(dataset.labels);
    PreparedGram prepared = prepare_gram(dataset, spec, execution);
    return fit_method(*prepared.gram, targets, spec, execution, prepared.choices).fitted;
  };
  const double tolerance = 1e-10;
  std::vector<Specification> specs;
  for (const MethodOptions& method :
       {MethodOptions{.tolerance = tolerance}, MethodOptions{.power = 3, .tolerance = tolerance},
        MethodOptions{.method = "label-propagation", .tolerance = tolerance},
        MethodOptions{.method = "label-propagation", .tolerance = tolerance, .iterations = 7},
        MethodOptions{.time = 2, .tolerance = tolerance}}) {
    specs.push_back(testing::method(method));
  }
  for (const Dataset& dataset :
       {swiss_roll(150, 0.1, 1, 3),
        stochastic_block_model(std::vector<Index>{50, 50, 50}, 0.3, 0.02, 1)}) {
    for (const Specification& spec : specs) {
      const Matrix expected = fitted(dataset, spec, Execution{});
      const double scale = expected.cwiseAbs().maxCoeff();
      EXPECT_EQ(fitted(dataset, spec, kept), expected);
      for (const Execution& execution : {thrifty, iterative}) {
        EXPECT_LT((fitted(dataset, spec, execution) - expected).cwiseAbs().maxCoeff(), 1e-7 * scale)
            << name_of(spec.method);
      }
    }
  }
}

// The strategy that the plan reports is the one that the fit executes.
TEST(Plan, TheStrategyReportedIsTheStrategyRun) {
  struct Case {
    Index labels_per_class;
    MethodOptions method;
    std::string system;
    std::vector<std::string> solvers;  // that the fit may report
  };
  const std::vector<Case> cases{
      {5, {}, "explicit system", {"direct"}},
      {5, {.power = 2}, "explicit system", {"direct"}},
      {5, {.solver = "diagonalize"}, "explicit system", {"diagonalize"}},
      {5, {.solver = "cg"}, "iterative", {"cg"}},
      {5, {.solver = "minres"}, "iterative", {"minres"}},
      {5, {.method = "kernel-ridge"}, "explicit system", {"direct"}},
      {200, {.power = 2}, "iterative, else explicit system", {"cg", "minres", "direct"}},
  };
  for (const Case& each : cases) {
    for (Dataset dataset : {two_moons(600, 0.08, 1),
                            stochastic_block_model(std::vector<Index>{300, 300}, 0.05, 0.005, 1)}) {
      keep_only(dataset.labels,
                labeled_per_class(std::get<ClassLabels>(dataset.labels), each.labels_per_class, 1));
      const Specification spec = testing::method(each.method);
      const std::string planned = chosen(plan_fit(shape_of(dataset), spec)).name;
      const bool graph = dataset.kind() == DatasetKind::graph;
      // On a graph, inverse Laplacians with more than four labels per output try MINRES first.
      const bool tries =
          graph && each.method.method.empty() && !each.method.power && each.method.solver.empty();
      const std::string expected = tries ? "iterative, else explicit system" : each.system;
      EXPECT_EQ(planned.substr(planned.find(", ") + 2), expected);
      const std::string solver = fit_model(dataset, spec).summary.solve.solver;
      if (tries) {
        EXPECT_TRUE(solver == "minres" || solver == "direct") << solver;
      } else {
        EXPECT_NE(std::find(each.solvers.begin(), each.solvers.end(), solver), each.solvers.end())
            << solver << " for " << planned;
      }
    }
  }
}

}  // namespace
}  // namespace stkr::plan_test
