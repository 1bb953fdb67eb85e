#include "model/model_cross_kernel.hpp"

#include <gtest/gtest.h>

#include "gram/dense_gram.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/model/model.hpp"
#include "temporary_folder.hpp"

namespace stkr::model_cross_kernel_test {
namespace {

using testing::message_of;
using testing::TemporaryFolder;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Matrix points() { return (Matrix(3, 2) << 0.0, 1.0, 2.0, 0.5, -1.0, 3.0).finished(); }

Model model_of(std::unique_ptr<CrossKernel> cross) {
  Fit fit;
  fit.coefficients = fit.fitted = (Matrix(3, 1) << 0.5, -1.0, 2.0).finished();
  return Model(std::move(cross), std::move(fit), TargetDecision{{"y"}, Vector::Zero(1)}, {});
}

CustomKernel cauchy(double length) {
  return {.name = "cauchy",
          .formula = OfSquaredDistance{[=](auto row) {
            for (auto& d2 : row) d2 = 1 / (1 + d2 / (length * length));
          }},
          .parameters = {{"length", length}}};
}

// Kernel rows as for DenseGram, times a factor; its part shows that the registry reaches parts.
class Scaled final : public CrossKernel {
 public:
  Scaled(std::unique_ptr<CrossKernel> part, double factor)
      : part_(std::move(part)), factor_(factor) {}

  Index known() const override { return part_->known(); }
  std::optional<Index> features() const override { return part_->features(); }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override {
    return std::make_unique<Placed>(part_->place(samples), factor_);
  }
  void save(CrossKernelSink& sink) const override {
    sink.text("kind", "scaled");
    sink.number("factor", factor_);
    sink.part("part", *part_);
  }
  static std::unique_ptr<CrossKernel> load(CrossKernelSource& source,
                                           const CrossKernelRegistry& registry) {
    return std::make_unique<Scaled>(load_cross_kernel(*source.part("part"), registry),
                                    source.number("factor"));
  }

 private:
  class Placed final : public PlacedSamples {
   public:
    Placed(std::unique_ptr<PlacedSamples> part, double factor)
        : part_(std::move(part)), factor_(factor) {}
    Matrix apply(ConstMatrixRef c) const override { return factor_ * part_->apply(c); }

   private:
    std::unique_ptr<PlacedSamples> part_;
    double factor_;
  };

  std::unique_ptr<CrossKernel> part_;
  double factor_;
};

TEST(ModelCrossKernel, OfTheUserIsLoadedByTheRegistry) {
  const TemporaryFolder folder;
  const PointGram<float> gram(points(), Kernel::custom(cauchy(0.1)));
  const Model model =
      model_of(std::make_unique<Scaled>(std::make_unique<Scaled>(gram.cross_kernel(), 3.0), 0.25));
  model.save(folder / "m");
  CrossKernelRegistry registry;
  registry.add("scaled", Scaled::load).add_kernel("cauchy", [](const auto& saved) {
    return cauchy(saved.at("length"));
  });
  const NewSamples samples{points().topRows(2).eval()};
  const Model loaded = Model::load(folder / "m", registry, 1);
  EXPECT_EQ(loaded.predict(samples).scores, model.predict(samples).scores);
  loaded.save(folder / "again");
  EXPECT_EQ(Model::load(folder / "again", registry).predict(samples).scores,
            model.predict(samples).scores);
}

TEST(ModelCrossKernel, OfAnUnknownKindSaysWhatToRegister) {
  const TemporaryFolder folder;
  model_of(std::make_unique<Scaled>(std::make_unique<DenseCrossKernel>(3, 1), 0.25))
      .save(folder / "m");
  const auto message = message_of<DataError>([&] { Model::load(folder / "m"); });
  EXPECT_TRUE(contains(message, (folder / "m").string())) << message;
  EXPECT_TRUE(contains(message, "CrossKernelRegistry::add(\"scaled\"")) << message;

  model_of(PointGram<double>(points(), Kernel::custom(cauchy(2.0))).cross_kernel())
      .save(folder / "n");
  const auto about_kernel = message_of<DataError>([&] { Model::load(folder / "n"); });
  EXPECT_TRUE(contains(about_kernel, "add_kernel(\"cauchy\"")) << about_kernel;
}

}  // namespace
}  // namespace stkr::model_cross_kernel_test
