#include "specification/kernel_names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "temporary_folder.hpp"

namespace stkr::kernel_names_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;

TEST(KernelNames, EveryNameMakesTheKernelThatHasIt) {
  for (const std::string& name : kernel_names()) EXPECT_EQ(name_of(kernel_spec(name)), name);
  EXPECT_EQ(name_of(kernel_spec("")), "");
  for (const std::string& name : point_kernel_names()) {
    EXPECT_TRUE(kernel_spec(name).takes_points()) << name;
  }
  for (const std::string& name : graph_kernel_names()) {
    EXPECT_TRUE(kernel_spec(name).takes_graph()) << name;
  }
  EXPECT_THAT(message_of<ValueError>([] { kernel_spec("rbff"); }), HasSubstr("'rbff'"));
}

TEST(KernelNames, TheFirstNamesAreTheDefaults) {
  EXPECT_EQ(point_kernel_names().front(), name_of(KernelSpec{}.resolved(DatasetKind::points)));
  EXPECT_EQ(graph_kernel_names().front(), name_of(KernelSpec{}.resolved(DatasetKind::graph)));
  EXPECT_EQ(edge_weight_names().front(), to_string(NeighborGraphSpec{}.weight));
  EXPECT_EQ(edge_rule_names().front(), to_string(NeighborGraphSpec{}.rule));
}

TEST(KernelNames, OptionsOfTheNeighborGraphImplyIt) {
  const KernelSpec kernel =
      kernel_spec({.neighbors = 7, .edge_weight = "binary", .edge_rule = "mutual", .recall = 0.9});
  EXPECT_EQ(
      kernel,
      KernelSpec(NeighborGraphSpec{
          .neighbors = 7, .weight = EdgeWeight::binary, .rule = EdgeRule::mutual, .recall = 0.9}));
}

TEST(KernelNames, GammaIsAnotherFormOfTheLengthScale) {
  const auto length = [](const KernelSpec& kernel) {
    return kernel.get_if<PointKernelSpec>()->length_scale;
  };
  EXPECT_EQ(length(kernel_spec({.name = "rbf", .gamma = 2.0})), LengthScale::absolute(0.5));
  EXPECT_EQ(length(kernel_spec({.name = "laplacian", .gamma = 2.0})), LengthScale::absolute(0.5));
  const KernelSpec polynomial = kernel_spec({.name = "polynomial", .gamma = 2.0, .degree = 3});
  EXPECT_EQ(polynomial.get_if<PointKernelSpec>()->kernel, Kernel::polynomial(3, 2.0));
  for (const KernelOptions& bad :
       {KernelOptions{.name = "matern32", .gamma = 1.0}, KernelOptions{.gamma = -1.0},
        KernelOptions{.length_scale = LengthScale{}, .gamma = 1.0},
        KernelOptions{.name = "lazy-walk", .gamma = 1.0}}) {
    EXPECT_EQ("gamma", [&] {
      try {
        kernel_spec(bad);
      } catch (const OptionError& error) {
        return error.option();
      }
      return std::string("accepted");
    }()) << bad.name;
  }
}

TEST(KernelNames, AnOptionThatDoesNotApplyIsRefused) {
  struct Case {
    KernelOptions options;
    const char* option;
  };
  for (const Case& each : {
           Case{{.name = "rbf", .neighbors = 5}, "neighbors"},
           Case{{.name = "rbf", .edge_weight = "heat"}, "edge-weight"},
           Case{{.name = "rbf", .edge_rule = "mutual"}, "edges"},
           Case{{.name = "rbf", .recall = 0.5}, "recall"},
           Case{{.name = "rbf", .coef0 = 1.0}, "coef0"},
           Case{{.name = "rbf", .degree = 2}, "degree"},
           Case{{.name = "rbf", .self_loops = true}, "self-loops"},
           Case{{.name = "linear", .length_scale = LengthScale{2.0}}, "length-scale"},
           Case{{.name = "polynomial", .length_scale = LengthScale{2.0}}, "length-scale"},
           Case{{.name = "symmetric", .length_scale = LengthScale{2.0}}, "length-scale"},
           Case{{.name = "knn", .normalize = true}, "normalize"},
       }) {
    try {
      kernel_spec(each.options);
      ADD_FAILURE() << each.option << " was accepted";
    } catch (const OptionError& error) {
      EXPECT_EQ(error.option(), each.option);
      EXPECT_THAT(error.what(), HasSubstr(each.option));
    }
  }
  // Heat edges have an absolute length scale.
  EXPECT_THROW(kernel_spec({.name = "knn", .length_scale = LengthScale::absolute(1.0)}),
               ValueError);
  EXPECT_THROW(
      kernel_spec({.name = "knn", .length_scale = LengthScale{2.0}, .edge_weight = "heat"}),
      ValueError);
}

TEST(KernelNames, ADescriptionShowsWhatAGridVaries) {
  EXPECT_EQ(describe(kernel_spec("rbf")), "rbf");
  EXPECT_EQ(describe(kernel_spec("rbf"), true), "rbf 1x");
  EXPECT_EQ(describe(kernel_spec({.name = "rbf", .length_scale = LengthScale{0.5}})), "rbf 0.5x");
  EXPECT_EQ(describe(KernelSpec(Kernel::rbf(2.5))), "rbf 2.5");
  EXPECT_EQ(describe(kernel_spec({.name = "rbf", .length_scale = LengthScale{.median = true}})),
            "rbf median");
  EXPECT_EQ(describe(kernel_spec("linear"), true), "linear");
  EXPECT_EQ(describe(kernel_spec({.neighbors = 7})), "knn k=7");
}

TEST(KernelNames, MeasuresHaveNames) {
  EXPECT_EQ(measure_from_name(""), Measure::automatic);
  EXPECT_EQ(measure_from_name("uniform"), Measure::uniform);
  EXPECT_EQ(measure_from_name("degree"), Measure::degree);
  EXPECT_THAT(message_of<ValueError>([] { measure_from_name("mass"); }),
              HasSubstr("uniform, degree"));
}

}  // namespace
}  // namespace stkr::kernel_names_test
