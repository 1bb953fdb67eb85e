#include "report/fit_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/line_plot.hpp"
#include "report/transform_plot.hpp"
#include "stkr/selection/select.hpp"
#include "stkr/version.hpp"

namespace stkr::report {
namespace {

constexpr Index kMostDots = 1000;  // of a picture

bool known(const Labels& labels, Index i) {
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    return classes->code[i] != kUnlabeled;
  }
  const auto* targets = std::get_if<TargetValues>(&labels);
  return targets && !std::isnan(targets->values(i, 0));
}

std::vector<Index> hidden_samples(const Labels& truth, const Labels& seen) {
  std::vector<Index> hidden;
  for (Index i = 0; i < sample_count(truth); ++i) {
    if (known(truth, i) && !known(seen, i)) hidden.push_back(i);
  }
  return hidden;
}

Predictions rows_of(const Predictions& all, const std::vector<Index>& rows) {
  Predictions some;
  some.scores.resize(static_cast<Index>(rows.size()), all.scores.cols());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    some.scores.row(static_cast<Index>(k)) = all.scores.row(rows[k]);
    some.evidence.push_back(all.evidence[rows[k]]);
    if (!all.class_index.empty()) some.class_index.push_back(all.class_index[rows[k]]);
    if (!all.tied.empty()) some.tied.push_back(all.tied[rows[k]]);
  }
  return some;
}

// Predicted over given numbers of the first target, with the diagonal.
ReportFigure number_figure(const std::string& how, const Predictions& predictions,
                           const TargetValues& truth, const std::vector<Index>& samples) {
  LinePlot plot{.x_label = truth.names.front() + ", given", .y_label = "predicted"};
  PlotSeries dots{.name = "samples", .line = false};
  const auto count = static_cast<Index>(samples.size());
  const Index step = std::max<Index>(1, (count + kMostDots - 1) / kMostDots);
  for (Index k = 0; k < count; k += step) {
    dots.x.push_back(truth.values(samples[k], 0));
    dots.y.push_back(predictions.scores(k, 0));
  }
  const auto [low, high] = std::minmax_element(dots.x.begin(), dots.x.end());
  PlotSeries diagonal{"equal", {*low, *high}, {*low, *high}, {}, true, false, true};
  plot.series = {std::move(dots), std::move(diagonal)};
  return {.title = fmt::format("{}: {}", truth.names.front(), how),
          .caption = step > 1 ? fmt::format("Every {}th of {} samples.", step, counted(count)) : "",
          .svg = render_svg(plot)};
}

// Scores and pictures of predictions for samples with known labels.
void add_validation(const std::string& how, const Predictions& predictions, const Labels& truth,
                    const std::vector<Index>& samples, RunPage& page) {
  if (samples.empty()) return;
  const auto value = [&](Score score) { return evaluate(score, predictions, truth, samples); };
  const std::string of = counted(static_cast<long long>(samples.size()), "sample");
  if (const auto* targets = std::get_if<TargetValues>(&truth)) {
    page.scores.emplace_back("R², " + how, fmt::format("{:.4g} ({})", value(Score::r2), of));
    page.scores.emplace_back("Root mean square error, " + how,
                             fmt::format("{:.4g}", std::sqrt(value(Score::mse))));
    page.figures.push_back(number_figure(how, predictions, *targets, samples));
    return;
  }
  page.scores.emplace_back("Accuracy, " + how,
                           fmt::format("{} ({})", percent(value(Score::accuracy)), of));
  page.scores.emplace_back("Balanced accuracy, " + how, percent(value(Score::balanced_accuracy)));
  page.scores.emplace_back("Macro F1, " + how, percent(value(Score::macro_f1)));
  page.confusions.push_back(
      confusion_of("Confusion, " + how, truth, samples, predictions.class_index));
}

void add_diagnostics(const FitPage& input, RunPage& page) {
  if (!input.record.diagnostics) return;
  const FitDiagnostics& found = *input.record.diagnostics;
  if (found.left_out) {
    add_validation("leaving one label out", *found.left_out, input.labels,
                   labeled_indices(input.labels), page);
  } else {
    page.notes.push_back("No leave-one-out: " + found.not_left_out + ".");
  }
  if (found.eigenvalues.size() > 1) {
    PlotSeries values{.name = "λ"};
    for (std::size_t k = 0; k < found.eigenvalues.size(); ++k) {
      values.x.push_back(static_cast<double>(k + 1));
      values.y.push_back(found.eigenvalues[k]);
    }
    page.figures.push_back(
        {.title = "Spectrum",
         .caption =
             "The largest eigenvalues of the kernel matrix divided by the number of samples. "
             "Values next to the first are clusters; the transform decides how much of the "
             "others is used.",
         .svg = render_svg(LinePlot{.x_label = "k", .y_label = "λ", .series = {values}})});
  } else if (!found.no_eigenvalues.empty()) {
    page.notes.push_back("No spectrum: " + found.no_eigenvalues + ".");
  }
}

// s, or the transforms of an average; a method without a transform has no picture.
void add_transform(const FitPage& input, RunPage& page) {
  const auto* method = std::get_if<StkrSpec>(&input.record.spec.method);
  const double largest = input.record.summary.spectrum.upper;
  if (!method || !(largest > 0.0)) return;
  try {
    std::string svg;
    if (method->average.size() > 1) {
      svg = plot_average(method->average, largest);
    } else if (!method->average.empty()) {
      svg = plot_transform(method->average.front().transform, largest);
    } else {
      svg = plot_transform(method->transform.value_or(StkrOptions{}.transform), largest);
    }
    page.figures.push_back({.title = "Transform",
                            .caption = "s(λ), which replaces each eigenvalue λ of the kernel: what "
                                       "it raises toward λ₁ is smooth over the samples.",
                            .svg = std::move(svg)});
  } catch (const ValueError& error) {
    page.notes.push_back(fmt::format("No picture of the transform: {}.", error.what()));
  }
}

void add_choices(const FitPage& input, RunPage& page) {
  PageTable chosen{"What was chosen", {{"", "Value", "Why"}}};
  for (const Choice& choice : input.record.choices) {
    chosen.rows.push_back(
        {choice.what, choice.value, choice.why.empty() ? "as given" : choice.why});
  }
  page.tables.push_back(std::move(chosen));
  if (input.record.tried.size() < 2) return;
  PageTable tried{"Kernels tried",
                  {{"Kernel", input.record.scored_by, "Best transform and ridge"}}};
  for (const TriedAutomatically& one : input.record.tried) {
    tried.rows.push_back({one.kernel, one.score ? fmt::format("{:.2f}", *one.score) : "–",
                          one.left_out.empty() ? one.best : "left out: " + one.left_out});
  }
  page.tables.push_back(std::move(tried));
}

void add_reach(const LabelReach& reach, RunPage& page) {
  page.evidence.emplace_back("Components", counted(reach.components()));
  if (reach.components_without_label() > 0) {
    page.evidence.emplace_back("Components without a label",
                               fmt::format("{}, with {}", counted(reach.components_without_label()),
                                           counted(reach.samples_without_label(), "sample")));
  }
  if (reach.components() < 2) return;
  std::vector<Index> sizes = reach.size;
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(sizes.size(), 5); ++k) {
    text += (k > 0 ? ", " : "") + counted(sizes[k]);
  }
  page.evidence.emplace_back("Samples of the largest", text + (sizes.size() > 5 ? ", ..." : ""));
}

std::string sentence_on(const Model& model, Index samples, const char* kind) {
  return fmt::format("{} {} by a model of {}, {} of them labeled.", counted(samples, "sample"),
                     kind, counted(model.size(), "sample"), counted(model.info().labeled));
}

}  // namespace

void add_answers(const Model& model, const AnswerSummary& answers, const Labels& truth,
                 const std::optional<PictureShape>& picture, RunPage& page) {
  Facts facts{{"Samples", counted(answers.samples())}};
  facts.emplace_back(
      "Without evidence",
      answers.without_evidence() == 0
          ? "none: labels reach every sample"
          : fmt::format("{} ({}): no label reaches them, and they get the prior",
                        counted(answers.without_evidence()),
                        percent(static_cast<double>(answers.without_evidence()) /
                                static_cast<double>(std::max<Index>(answers.samples(), 1)))));
  if (answers.tied() > 0) {
    facts.emplace_back("Ties", counted(answers.tied()) + " of these: classes are equally likely");
  }
  page.evidence.insert(page.evidence.begin(), facts.begin(), facts.end());
  if (const auto* targets = std::get_if<TargetDecision>(&model.decision())) {
    PageTable ranges{"Answers", {{"Target", "Smallest", "Mean", "Largest"}}};
    for (std::size_t t = 0; t < targets->names.size() && answers.samples() > 0; ++t) {
      const AnswerSummary::Range& range = answers.ranges()[t];
      ranges.rows.push_back(
          {targets->names[t], fmt::format("{:.5g}", range.low),
           fmt::format("{:.5g}", range.sum / static_cast<double>(answers.samples())),
           fmt::format("{:.5g}", range.high)});
    }
    page.tables.push_back(std::move(ranges));
    return;
  }
  const auto& classes = std::get<ClassDecision>(model.decision());
  ClassShares shares{.names = classes.names,
                     .labels = std::vector<Index>(classes.names.size(), 0),
                     .answers = answers.answers(),
                     .prior = {classes.prior.begin(), classes.prior.end()}};
  for (const Index label : classes.classes) ++shares.labels[label];
  page.shares = std::move(shares);
  const auto* known_classes = std::get_if<ClassLabels>(&truth);
  for (const DoubtfulSample& sample : answers.doubtful()) {
    ShownSample shown{
        .name = sample.name.empty() ? fmt::format("sample {}", sample.index) : sample.name,
        .answer = fmt::format("{} ({:.0f}%) or {} ({:.0f}%)", classes.names[sample.first],
                              100.0 * sample.first_share, classes.names[sample.second],
                              100.0 * sample.second_share)};
    if (known_classes && known_classes->code[sample.index] != kUnlabeled) {
      shown.truth = known_classes->names[known_classes->code[sample.index]];
    }
    if (picture && sample.features.size() == picture->features()) {
      shown.picture = picture_source(sample.features, *picture);
    }
    page.uncertain.push_back(std::move(shown));
  }
}

FitRecord record_of(const AutomaticFit& fit) {
  return {fit.fitted.summary, fit.fitted.choices, fit.fitted.reach, fit.fitted.diagnostics,
          fit.spec,           fit.tried,          fit.scored_by};
}

RunPage fit_page(const FitPage& input) {
  const Model& model = input.model;
  const Index size = model.size();
  RunPage page;
  page.title = "A model of " + (input.data.empty() ? counted(size, "sample") : input.data);
  page.intro.push_back(fmt::format(
      "{}, of which {} are labeled, fitted by spectrally transformed kernel regression. The page "
      "shows what was chosen, how far the labels reach, and which answers to doubt.",
      counted(size, "sample"), counted(model.info().labeled)));
  page.warnings = input.record.summary.warnings;

  const Predictions fitted = model.predict();
  const std::vector<Index> hidden = hidden_samples(input.truth, input.labels);
  add_validation("labels hidden from the fit", rows_of(fitted, hidden), input.truth, hidden, page);
  add_diagnostics(input, page);
  add_choices(input, page);

  std::vector<char> labeled(static_cast<std::size_t>(size), 0);
  if (const auto* classes = std::get_if<ClassDecision>(&model.decision())) {
    for (const Index i : classes->labeled) labeled[i] = 1;
  }
  AnswerSummary answers(model.decision());
  std::function<Vector(Index)> features;
  if (input.picture && input.features) {
    features = [&](Index i) {
      return Vector(input.features->gather(std::vector<Index>{i}).row(0).transpose());
    };
  }
  const std::span<const std::string> names =
      !input.names.empty() ? input.names : std::span<const std::string>(model.info().sample_names);
  answers.add(fitted, names, labeled, features);
  add_answers(model, answers, input.truth, input.picture, page);
  if (input.record.reach) add_reach(*input.record.reach, page);
  add_transform(input, page);

  const FitSummary& summary = input.record.summary;
  page.facts = input.repeat;
  if (!summary.solve.solver.empty()) {
    page.facts.emplace_back(
        "Solver", fmt::format("{}: {}, residual {:.1e}, {}, {:.2f} s", summary.solve.solver,
                              to_string(summary.solve.reason), summary.solve.worst_residual(),
                              counted(summary.products, "product"), summary.seconds));
  }
  if (!model.info().data_fingerprint.empty()) {
    page.facts.emplace_back("Data", model.info().data_fingerprint);
  }
  page.facts.emplace_back("Version", fmt::format("stkr {}", kVersion));
  return page;
}

RunPage prediction_page(const PredictionPage& input) {
  RunPage page;
  page.title = input.title;
  page.intro.push_back(sentence_on(input.model, input.answers.samples(), "predicted"));
  page.warnings = input.warnings;
  add_answers(input.model, input.answers, {}, input.picture, page);
  const ModelInfo& info = input.model.info();
  page.tables.insert(page.tables.begin(),
                     PageTable{"The model",
                               {{"", "Value"},
                                {"Method", info.method},
                                {"Transform", info.transform.empty() ? "–" : info.transform},
                                {"Kernel", info.kernel},
                                {"Labels", counted(info.labeled)},
                                {"Fitted on", counted(input.model.size(), "sample")}}});
  page.facts = input.repeat;
  page.facts.emplace_back("Version", fmt::format("stkr {}", kVersion));
  return page;
}

}  // namespace stkr::report
