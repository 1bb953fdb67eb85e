// What a fit learns from labels left out, and what it keeps to answer questions.

#include <gtest/gtest.h>

#include "model/few_labels.hpp"
#include "stkr/inference/inference.hpp"
#include "stkr/model/fit_model.hpp"
#include "temporary_folder.hpp"

namespace stkr::fit_certainty_test {
namespace {

using testing::blocks;
using testing::moons;
using testing::TemporaryFolder;

Specification power(double ridge) {
  Specification spec;
  spec.method = StkrSpec{.transform = SpectralTransform::power(4), .ridge = RelativeRidge{ridge}};
  return spec;
}

const std::optional<Calibration>& calibration(const Model& model) {
  return std::get<ClassDecision>(model.decision()).calibration;
}

TEST(FitCertainty, ClassesAreCalibratedOnLabelsLeftOut) {
  Dataset dataset = moons();
  const FittedModel fitted = fit_model(dataset, power(0.1));
  ASSERT_TRUE(calibration(fitted.model));
  EXPECT_EQ(calibration(fitted.model)->conformity.size(), 10u);
  TemporaryFolder folder;
  fitted.model.save(folder / "model.npz");
  EXPECT_EQ(calibration(Model::load(folder / "model.npz")), calibration(fitted.model));
}

TEST(FitCertainty, LeavingOutOnRequestChangesNoPrediction) {
  Specification spec;
  spec.method = StkrSpec{.transform = SpectralTransform::inverse_laplacian(0.9)};
  Dataset first = blocks(), second = blocks();
  const FittedModel plain = fit_model(first, spec);
  spec.leave_one_out = true;
  const FittedModel left = fit_model(second, spec);
  EXPECT_TRUE(calibration(left.model));
  EXPECT_EQ(plain.model.fitted(), left.model.fitted());
}

TEST(FitCertainty, SaysIfLabelsCannotBeLeftOut) {
  Specification spec;
  spec.method = LabelPropagationSpec{};
  Dataset first = blocks(), second = blocks();
  EXPECT_TRUE(fit_model(first, spec).summary.warnings.empty());
  spec.leave_one_out = true;
  const FittedModel fitted = fit_model(second, spec);
  EXPECT_FALSE(calibration(fitted.model));
  ASSERT_EQ(fitted.summary.warnings.size(), 1u);
  EXPECT_TRUE(testing::contains(fitted.summary.warnings[0], "labels are not left out"));
}

TEST(FitCertainty, NumbersKeepWhatFitsWithoutThemMiss) {
  Dataset dataset = swiss_roll(80, 0.05, 1);
  const FittedModel fitted = fit_model(dataset, power(1e-3));
  const Matrix& residuals = std::get<TargetDecision>(fitted.model.decision()).left_out_residuals;
  EXPECT_EQ(residuals.rows(), static_cast<Index>(labeled_indices(dataset.labels).size()));
  EXPECT_GT(residuals.norm(), 0.0);
  TemporaryFolder folder;
  fitted.model.save(folder / "model.npz");
  const Model loaded = Model::load(folder / "model.npz");
  EXPECT_EQ(std::get<TargetDecision>(loaded.decision()).left_out_residuals, residuals);
}

TEST(FitCertainty, TheSystemIsKeptOnRequest) {
  Dataset first = moons(), second = moons();
  Specification spec = power(0.1);
  EXPECT_FALSE(fit_model(first, spec).system);
  spec.keep_system = true;
  const FittedModel fitted = fit_model(second, spec);
  ASSERT_TRUE(fitted.system);
  EXPECT_EQ(fitted.system->labels(), 10);
  const Index sample[] = {0};
  EXPECT_GT(posterior(*fitted.system, sample).variance(0, 0), 0.0);
}

}  // namespace
}  // namespace stkr::fit_certainty_test
