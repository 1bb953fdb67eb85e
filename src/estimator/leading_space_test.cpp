#include "estimator/leading_space.hpp"

#include <gtest/gtest.h>

#include "estimator/kernel_pca.hpp"
#include "gram/dense_gram.hpp"
#include "gram_cases.hpp"
#include "specification/method_names.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::leading_space_test {
namespace {

using namespace cases;
using reference::relative_error;

std::vector<Index> all_of(Index count) {
  std::vector<Index> all(count);
  for (Index i = 0; i < count; ++i) all[i] = i;
  return all;
}

TEST(LeadingSpace, TakesAllCopiesOfAnEigenvalueThatDWouldPart) {
  const Vector spectrum{{9, 7, 7, 7, 5, 3, 3, 1, 0.5, 0.25}};
  const DenseGram gram(with_spectrum(10.0 * spectrum, 3), 1);
  const auto kept = [&](Index d) {
    return leading_space(gram, all_of(10), 1.0, d, TopD::whole, {}).values;
  };
  EXPECT_LT(relative_error(kept(1), spectrum.head(1)), 1e-10);
  for (const Index d : {2, 3, 4}) EXPECT_LT(relative_error(kept(d), spectrum.head(4)), 1e-10);
  EXPECT_LT(relative_error(kept(6), spectrum.head(7)), 1e-10);
  EXPECT_LT(relative_error(kept(10), spectrum), 1e-10);
  const LeadingSpace literal = leading_space(gram, all_of(10), 1.0, 3, TopD::literal, {});
  EXPECT_EQ(literal.kept(), 3);
  EXPECT_TRUE(literal.ambiguous);
}

TEST(LeadingSpace, LeavesOutCopiesWhereThereAreTooMany) {
  Vector spectrum = Vector::Ones(200);
  spectrum[0] = 3.0;
  spectrum[1] = 2.0;
  const DenseGram gram(with_spectrum(200.0 * spectrum, 4), 1);
  const LeadingSpace space = leading_space(gram, all_of(200), 1.0, 5, TopD::whole, {});
  EXPECT_EQ(space.kept(), 2) << space.values.transpose() << " positive " << space.positive;
  EXPECT_FALSE(space.ambiguous);
  const DenseGram flat(200.0 * Matrix::Identity(200, 200), 1);
  EXPECT_TRUE(leading_space(flat, all_of(200), 1.0, 5, TopD::whole, {}).ambiguous);
}

// Six components of two random halves each, all with labels: λ = 1 occurs six times.
Dataset six_components() {
  constexpr Index kEach = 40;
  Random random(5);
  Matrix w = Matrix::Zero(6 * kEach, 6 * kEach);
  for (Index b = 0; b < 6; ++b) {
    for (Index i = 0; i < kEach; ++i) {
      const Index next = b * kEach + (i + 1) % kEach, own = b * kEach + i;
      w(own, next) = w(next, own) = 1.0;
      const Index other = b * kEach + random.below(kEach);
      if (other != own) w(own, other) = w(other, own) = 1.0;
    }
  }
  Dataset dataset;
  dataset.samples = Graph{to_csr(w), {}};
  ClassLabels labels{{"a", "b", "c"}, std::vector<std::int32_t>(6 * kEach, kUnlabeled)};
  for (Index b = 0; b < 6; ++b) {
    for (Index i = 1; i < 4; ++i) labels.code[b * kEach + i] = static_cast<std::int32_t>(b % 3);
  }
  dataset.labels = labels;
  return dataset;
}

TEST(LeadingSpace, MakesAnswersIndependentOfTheSeedWhereDPartsEqualEigenvalues) {
  for (const MethodSpec& method :
       {MethodSpec(StkrSpec{.transform = SpectralTransform::truncation(4)}),
        MethodSpec(KernelPcaSpec{.dimension = 4})}) {
    SCOPED_TRACE(name_of(method));
    std::vector<Index> first;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
      Dataset dataset = six_components();
      Specification spec;
      spec.method = method;
      const FittedModel result = fit_model(dataset, spec, {.seed = seed});
      const Predictions answers = result.model.predict();
      if (first.empty()) first = answers.class_index;
      EXPECT_EQ(answers.class_index, first);
      // Without its labeled nodes, each component has a different largest eigenvalue.
      if (std::holds_alternative<KernelPcaSpec>(method)) continue;
      ASSERT_FALSE(result.summary.warnings.empty());
      EXPECT_NE(result.summary.warnings.back().find("equal eigenvalues"), std::string::npos);
      for (Index i = 0; i < 240; ++i) EXPECT_EQ(answers.class_index[i], (i / 40) % 3) << i;
    }
  }
}

TEST(LeadingSpace, LooksOnlyWhereLabelsReach) {
  const GraphGram graph(to_csr(two_component_graph(kSamples, 12)));
  EXPECT_EQ(samples_that_labels_reach(graph, std::vector<Index>{17, 23}),
            (std::vector<Index>{16, 17, 18, 19, 20, 21, 23}));
  const auto points = gram_cases()[0].make(1);
  EXPECT_EQ(samples_that_labels_reach(*points, std::vector<Index>{3}), all_of(kSamples));
}

}  // namespace
}  // namespace stkr::leading_space_test
