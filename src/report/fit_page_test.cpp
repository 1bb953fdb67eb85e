#include "report/fit_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/dataset/generators.hpp"

namespace stkr::report::fit_page_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::StartsWith;

// Two moons, whose samples alternate between the classes, with a label for every `step` samples.
Dataset moons(Index samples, Index step) {
  Dataset dataset = two_moons(samples, 0.1, 5);
  std::vector<Index> labeled;
  for (Index i = 0; i < samples; i += 2 * step) labeled.insert(labeled.end(), {i, i + 1});
  keep_only(dataset.labels, labeled);
  return dataset;
}

AutomaticFit fitted(Dataset& dataset, Specification spec = {}) {
  spec.diagnostics = true;
  return fit_automatic(dataset, spec);
}

TEST(FitPage, ShowsWhatAUserAsksAboutAFit) {
  Dataset dataset = moons(200, 10);
  const AutomaticFit fit = fitted(dataset);
  const RunPage page = fit_page({.data = "moons",
                                 .model = fit.fitted.model,
                                 .record = record_of(fit),
                                 .labels = dataset.labels,
                                 .truth = dataset.truth,
                                 .repeat = {{"Command", "stkr fit moons"}}});
  EXPECT_EQ(page.title, "A model of moons");
  EXPECT_THAT(
      page.scores,
      AllOf(Contains(Pair("Accuracy, labels hidden from the fit", HasSubstr("180 samples"))),
            Contains(Pair("Accuracy, leaving one label out", HasSubstr("20 samples")))));
  ASSERT_EQ(page.confusions.size(), 2u);
  EXPECT_EQ(page.tables.front().rows.front().back(), "Why");
  EXPECT_EQ(page.shares->labels, (std::vector<Index>{10, 10}));
  EXPECT_EQ(page.shares->answers[0] + page.shares->answers[1], 200);
  EXPECT_FALSE(page.uncertain.empty());
  EXPECT_THAT(page.uncertain.front().name, StartsWith("sample "));
  EXPECT_NE(page.uncertain.front().truth, "");
  EXPECT_THAT(page.evidence, Contains(Pair("Samples", "200")));
  EXPECT_GE(page.figures.size(), 2u);  // spectrum and transform
  EXPECT_THAT(page.facts, AllOf(Contains(Pair("Command", "stkr fit moons")),
                                Contains(Pair("Version", StartsWith("stkr ")))));
  EXPECT_LT(render_html(page).size(), 300'000u);
}

TEST(FitPage, NamesSamplesAndShowsThemAsPictures) {
  Dataset dataset = moons(80, 8);
  std::vector<std::string> names;
  for (int i = 0; i < 80; ++i) names.push_back("row <" + std::to_string(i) + ">");
  const SharedMatrix features = dataset.points().values.dense();
  const AutomaticFit fit = fitted(dataset);
  const RunPage page = fit_page({.data = {},
                                 .model = fit.fitted.model,
                                 .record = record_of(fit),
                                 .labels = dataset.labels,
                                 .truth = dataset.labels,
                                 .names = names,
                                 .features = &features,
                                 .picture = PictureShape{1, 2, 1}});
  EXPECT_EQ(page.title, "A model of 80 samples");
  EXPECT_THAT(page.uncertain.front().name, StartsWith("row <"));
  EXPECT_THAT(page.uncertain.front().picture, StartsWith("data:image/png"));
  EXPECT_EQ(page.uncertain.front().truth, "");
  EXPECT_THAT(render_html(page), AllOf(HasSubstr("row &lt;"), Not(HasSubstr("row <"))));
  EXPECT_EQ(page.confusions.size(), 1u);  // no label is hidden
}

TEST(FitPage, ShowsNumbers) {
  Dataset dataset = swiss_roll(150, 0.1, 2);
  std::vector<Index> labeled;
  for (Index i = 0; i < 150; i += 3) labeled.push_back(i);
  keep_only(dataset.labels, labeled);
  const AutomaticFit fit = fitted(dataset);
  const RunPage page = fit_page({.data = "roll",
                                 .model = fit.fitted.model,
                                 .record = record_of(fit),
                                 .labels = dataset.labels,
                                 .truth = dataset.truth});
  EXPECT_THAT(page.scores,
              AllOf(Contains(Pair("R², labels hidden from the fit", HasSubstr("100 "))),
                    Contains(Pair("R², leaving one label out", HasSubstr("50 ")))));
  EXPECT_FALSE(page.shares);
  EXPECT_TRUE(page.uncertain.empty());
  EXPECT_TRUE(page.confusions.empty());
  EXPECT_THAT(render_html(page), AllOf(HasSubstr("Smallest"), HasSubstr("predicted")));
}

TEST(FitPage, SaysWhatIsMissingForOtherMethods) {
  Dataset dataset = moons(80, 8);
  Specification spec;
  spec.method = LabelPropagationSpec{};
  const AutomaticFit fit = fitted(dataset, spec);
  const RunPage page = fit_page({.data = {},
                                 .model = fit.fitted.model,
                                 .record = record_of(fit),
                                 .labels = dataset.labels,
                                 .truth = dataset.truth});
  EXPECT_THAT(page.notes, Contains(StartsWith("No leave-one-out: ")));
}

TEST(PredictionPage, ShowsAnswersOfAModel) {
  Dataset dataset = moons(80, 8);
  const AutomaticFit fit = fitted(dataset);
  const Model& model = fit.fitted.model;
  AnswerSummary answers(model.decision());
  answers.add(model.predict());
  const RunPage page =
      prediction_page({.title = "Predictions", .model = model, .answers = answers});
  EXPECT_EQ(page.title, "Predictions");
  EXPECT_EQ(page.shares->labels[0] + page.shares->labels[1], 10);
  EXPECT_FALSE(page.uncertain.empty());
  EXPECT_EQ(page.tables.front().title, "The model");
}

}  // namespace
}  // namespace stkr::report::fit_page_test
