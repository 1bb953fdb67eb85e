#include "model/fit_diagnostics.hpp"

#include <gtest/gtest.h>

#include "stkr/dataset/generators.hpp"

namespace stkr::fit_diagnostics_test {
namespace {

// Sixty samples with labels, and an RBF kernel whose length scale does not depend on them.
Dataset moons() { return two_moons(60, 0.1, 3); }

Specification specification(MethodSpec method) {
  Specification spec;
  spec.kernel =
      PointKernelSpec{.kernel = Kernel::rbf(1.0), .length_scale = LengthScale::absolute(0.4)};
  spec.method = std::move(method);
  spec.diagnostics = true;
  return spec;
}

// Refits without each label, one after the other.
std::vector<Index> refitted(const Dataset& dataset, const std::vector<Index>& labeled,
                            const Specification& spec) {
  std::vector<Index> classes;
  for (const Index left : labeled) {
    Dataset copy = dataset;
    std::vector<Index> others;
    for (const Index i : labeled) {
      if (i != left) others.push_back(i);
    }
    keep_only(copy.labels, others);
    classes.push_back(fit_model(copy, spec).model.predict().class_index[left]);
  }
  return classes;
}

TEST(FitDiagnostics, LeavesOneOutAsARefitDoes) {
  const Dataset dataset = moons();
  std::vector<Index> labeled;
  for (Index i = 0; i < 60; i += 8) labeled.insert(labeled.end(), {i, i + 1});
  for (const MethodSpec& method :
       {MethodSpec(StkrSpec{.transform = SpectralTransform::power(2), .ridge = PaperBeta{0.01}}),
        MethodSpec(StkrSpec{.transform = SpectralTransform::inverse_laplacian(0.5),
        .ridge = PaperBeta{0.1}}),
        MethodSpec(KernelRidgeSpec{.ridge = PaperBeta{0.01}})}) {
    const Specification spec = specification(method);
    Dataset copy = dataset;
    keep_only(copy.labels, labeled);
    const FittedModel fitted = fit_model(copy, spec);
    ASSERT_TRUE(fitted.diagnostics && fitted.diagnostics->left_out);
    EXPECT_EQ(fitted.diagnostics->left_out->class_index, refitted(dataset, labeled, spec));
  }
}

TEST(FitDiagnostics, PredictsNumbersInTheirUnits) {
  Dataset dataset = moons();
  const auto codes = std::get<ClassLabels>(dataset.truth).code;
  Matrix values(60, 1);
  for (Index i = 0; i < 60; ++i) values(i, 0) = 100.0 + codes[i];
  dataset.labels = dataset.truth = TargetValues{{"number"}, values};
  const FittedModel fitted = fit_model(
      dataset,
      specification(StkrSpec{.transform = SpectralTransform::power(1), .ridge = PaperBeta{0.01}}));
  ASSERT_TRUE(fitted.diagnostics && fitted.diagnostics->left_out);
  EXPECT_LT((fitted.diagnostics->left_out->scores - values).norm() / std::sqrt(60.0), 0.2);
}

TEST(FitDiagnostics, HasTheLeadingEigenvalues) {
  Dataset dataset = moons();
  const FittedModel fitted =
      fit_model(dataset, specification(StkrSpec{.transform = SpectralTransform::power(2)}));
  const std::vector<double>& values = fitted.diagnostics->eigenvalues;
  ASSERT_EQ(values.size(), 20u);
  EXPECT_TRUE(std::is_sorted(values.rbegin(), values.rend()));
  EXPECT_GT(values.back(), 0.0);
}

TEST(FitDiagnostics, SaysWhyOneIsNotLeftOut) {
  Dataset dataset = moons();
  const FittedModel fitted =
      fit_model(dataset, specification(KernelPcaSpec{.dimension = 3, .all_samples = true}));
  EXPECT_FALSE(fitted.diagnostics->left_out);
  EXPECT_NE(fitted.diagnostics->not_left_out, "");
}

TEST(FitDiagnostics, AreNotComputedUnlessRequested) {
  Dataset dataset = moons();
  Specification spec = specification(StkrSpec{.transform = SpectralTransform::power(2)});
  spec.diagnostics = false;
  EXPECT_FALSE(fit_model(dataset, spec).diagnostics);
}

}  // namespace
}  // namespace stkr::fit_diagnostics_test
