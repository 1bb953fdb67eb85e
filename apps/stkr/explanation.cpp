#include "explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "answer_writer.hpp"
#include "cli.hpp"
#include "console.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

constexpr std::size_t kLabelsShown = 10;
constexpr Index kThrough = 10;
constexpr std::size_t kPaths = 5;      // to so many labels
constexpr Index kSteps = 10;           // longer paths tell nothing
constexpr double kCancelling = 100.0;  // times the score

std::optional<Index> parse_index(const std::string& text) {
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

// "17", or "paper_3 (17)".
std::string shown(Index index, const std::string& name) {
  return name.empty() ? std::to_string(index) : fmt::format("{} ({})", name, index);
}

std::string name_of_known(const Model& model, Index sample) {
  const std::vector<std::string>& names = model.info().sample_names;
  return names.empty() ? "" : names[static_cast<std::size_t>(sample)];
}

std::string shown_known(const Model& model, Index sample) {
  return shown(sample, name_of_known(model, sample));
}

// The outputs that a table shows: the best two classes, or the first targets.
std::vector<Index> shown_outputs(const Explanation& explanation) {
  const Vector& score = explanation.parts.score;
  std::vector<Index> order(static_cast<std::size_t>(score.size()));
  std::iota(order.begin(), order.end(), Index{0});
  if (explanation.prediction.class_index.empty()) {
    order.resize(std::min<std::size_t>(4, order.size()));
    return order;
  }
  const Index best = explanation.prediction.class_index.front();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return std::pair(a != best, -score[a]) < std::pair(b != best, -score[b]);
  });
  order.resize(std::min<std::size_t>(2, order.size()));
  return order;
}

// Labels by the size of what they contribute, the largest first.
std::vector<Index> ranked_labels(const Explanation& explanation) {
  const Matrix& parts = explanation.parts.by_label;
  const bool classes = !explanation.prediction.class_index.empty();
  std::vector<double> size(static_cast<std::size_t>(parts.rows()));
  for (Index i = 0; i < parts.rows(); ++i) {
    size[static_cast<std::size_t>(i)] =
        classes ? std::abs(parts(i, explanation.prediction.class_index.front()))
                : parts.row(i).cwiseAbs().maxCoeff();
  }
  std::vector<Index> order(size.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return size[static_cast<std::size_t>(a)] > size[static_cast<std::size_t>(b)];
  });
  return order;
}

// The class or the numbers of a labeled sample.
std::string label_text(const Labels& labels, Index sample) {
  if (const auto* classes = std::get_if<ClassLabels>(&labels)) {
    return classes
        ->names[static_cast<std::size_t>(classes->code[static_cast<std::size_t>(sample)])];
  }
  std::vector<std::string> numbers;
  for (const double value : std::get<TargetValues>(labels).values.row(sample)) {
    numbers.push_back(fmt::format("{:.4g}", value));
  }
  return fmt::format("{}", fmt::join(numbers, ";"));
}

std::vector<std::string> number_cells(std::string first, std::string second,
                                      const std::vector<Index>& outputs, const auto& values) {
  std::vector<std::string> row{std::move(first), std::move(second)};
  for (const Index c : outputs) row.push_back(fmt::format("{:.4g}", values[c]));
  return row;
}

// Class sizes scale positive scores.
void scale_parts(const Model& model, Contributions& parts) {
  const auto* classes = std::get_if<ClassDecision>(&model.decision());
  if (!classes || classes->factors.size() == 0) return;
  for (Index c = 0; c < classes->factors.size(); ++c) {
    if (!(parts.score[c] > 0.0)) continue;
    parts.by_label.col(c) *= classes->factors[c];
    parts.by_sample.col(c) *= classes->factors[c];
  }
  parts.score = parts.by_label.colwise().sum().transpose() + parts.constant;
  parts.radius.reset();  // it is that of scores without factors
}

}  // namespace

ExplainedSample find_fitted_sample(const std::string& given, const Model& model) {
  const std::vector<std::string>& names = model.info().sample_names;
  if (const auto found = std::find(names.begin(), names.end(), given); found != names.end()) {
    return {found - names.begin(), given};
  }
  const std::optional<Index> index = parse_index(given);
  if (index && *index < model.size()) return {*index, name_of_known(model, *index)};
  throw CLI::ValidationError(
      "--explain",
      fmt::format("{} is no fitted sample; expected an index from 0 to {}{}{}", given,
                  model.size() - 1, names.empty() ? "" : ", or a name", suggestion(given, names)));
}

ExplainedSample find_new_sample(const std::string& given, const NewSampleOptions& options,
                                const Model& model) {
  const std::optional<Index> index = parse_index(given);
  NewSampleStream stream(options, model);
  Index before = 0;
  std::optional<ExplainedSample> by_index;
  for (NewSamples part = stream.next(); part.count() > 0; part = stream.next()) {
    const std::span<const std::string> names = stream.names();
    const auto named = std::find(names.begin(), names.end(), given);
    if (named != names.end()) {
      const Index at = named - names.begin();
      return {before + at, given, part.slice(at, 1)};
    }
    if (index && !by_index && *index < before + part.count()) {
      const Index at = *index - before;
      by_index = {*index, names.empty() ? "" : names[static_cast<std::size_t>(at)],
                  part.slice(at, 1)};
      if (names.empty()) break;  // nothing else can have that name
    }
    before += part.count();
  }
  if (by_index) return *by_index;
  throw CLI::ValidationError(
      "--explain", fmt::format("{} is no sample of {}; expected an index from 0 to {}, or a name",
                               given, options.samples, before - 1));
}

Explanation explain(const Model& model, const Refitted& refitted, ExplainedSample sample,
                    const Context& context) {
  const FittedSystem& system = *refitted.system;
  Explanation result{.sample = std::move(sample), .prediction = {}, .parts = {}};
  if (result.sample.fresh) {
    result.prediction = model.predict(*result.sample.fresh);
    result.parts = contributions(system, *result.sample.fresh, kThrough, context);
  } else {
    result.prediction = model.predict(result.sample.index, 1);
    result.parts = contributions(system, result.sample.index, kThrough, context);
  }
  scale_parts(model, result.parts);
  const std::vector<Index>& through = result.parts.through;
  if (!system.gram->sparse() || !result.prediction.evidence.front() ||
      (result.sample.fresh && through.empty())) {
    return result;
  }
  const Index start = result.sample.fresh ? through.front() : result.sample.index;
  std::vector<Index> strongest = ranked_labels(result);
  strongest.resize(std::min(kPaths, strongest.size()));
  for (const Index k : strongest) {
    const Index label = system.targets.labeled[static_cast<std::size_t>(k)];
    if (label == result.sample.index && !result.sample.fresh) continue;
    std::vector<Index> path = strongest_path(system, start, k, kSteps, context);
    if (!path.empty()) result.paths.push_back({label, std::move(path)});
  }
  return result;
}

std::string explanation_text(const Explanation& explanation, const Model& model,
                             const Refitted& refitted) {
  const Contributions& parts = explanation.parts;
  const std::vector<std::string>& names = output_names(model.decision());
  const std::vector<Index> outputs = shown_outputs(explanation);
  const bool classes = !explanation.prediction.class_index.empty();
  const ExplainedSample& sample = explanation.sample;
  std::vector<std::pair<std::string, std::string>> fields{
      {"sample", shown(sample.index, sample.name) + (sample.fresh ? ", new" : "")}};
  std::vector<std::string> scores;
  for (const Index c : outputs)
    scores.push_back(fmt::format("{}: {:.4g}", names[c], parts.score[c]));
  if (classes) {
    fields.emplace_back(
        "prediction",
        fmt::format("{}  (score of {})",
                    names[static_cast<std::size_t>(explanation.prediction.class_index.front())],
                    fmt::join(scores, ", of ")));
  } else {
    fields.emplace_back("prediction", fmt::format("{}", fmt::join(scores, ", ")));
  }
  if (!explanation.prediction.evidence.front()) {
    fields.emplace_back("no evidence", "no label reaches it: predicted by the prior");
    return format_fields(fields);
  }
  if (parts.radius) {
    fields.emplace_back("radius",
                        fmt::format("{:.4g}: no sample this near, by the distance of K_s, has "
                                    "another of these two ahead",
                                    *parts.radius));
  }
  std::string text = format_fields(fields);

  std::vector<std::vector<std::string>> rows{{"label", classes ? "class" : "target"}};
  for (const Index c : outputs) rows.front().push_back("to " + names[c]);
  const std::vector<Index> order = ranked_labels(explanation);
  Vector rest = Vector::Zero(parts.score.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (k >= kLabelsShown) {
      rest += parts.by_label.row(order[k]).transpose();
      continue;
    }
    const Index label = refitted.system->targets.labeled[static_cast<std::size_t>(order[k])];
    rows.push_back(number_cells(shown_known(model, label), label_text(refitted.labels, label),
                                outputs, parts.by_label.row(order[k])));
  }
  if (order.size() > kLabelsShown) {
    rows.push_back(
        number_cells(fmt::format("{} others", order.size() - kLabelsShown), "", outputs, rest));
  }
  if (!classes) rows.push_back(number_cells("constant", "", outputs, parts.constant));
  rows.push_back(number_cells("sum", "", outputs, parts.score));
  text += "\nWhat labels contribute to the score:\n" + format_table(rows);
  const double largest = parts.by_label.cwiseAbs().maxCoeff();
  if (largest > kCancelling * parts.score.cwiseAbs().maxCoeff()) {
    text += "Contributions nearly cancel, as with smooth kernels: single ones say little.\n";
  }

  if (!parts.through.empty()) {
    rows.assign({{refitted.system->gram->sparse() ? "neighbor" : "sample", "prediction"}});
    for (const Index c : outputs) rows.front().push_back("to " + names[c]);
    for (std::size_t k = 0; k < parts.through.size(); ++k) {
      const Index j = parts.through[k];
      const Predictions there = model.predict(j, 1);
      rows.push_back(number_cells(shown_known(model, j),
                                  classes
                                      ? names[static_cast<std::size_t>(there.class_index.front())]
                                      : fmt::format("{:.4g}", there.scores(0, 0)),
                                  outputs, parts.by_sample.row(static_cast<Index>(k))));
    }
    text += "\nThrough which samples they act:\n" + format_table(rows);
  }
  if (!explanation.paths.empty()) text += "\nThe strongest paths to labels:\n";
  for (const Explanation::Path& path : explanation.paths) {
    std::vector<std::string> steps;
    if (sample.fresh) steps.push_back(sample.name.empty() ? "new" : sample.name);
    for (const Index j : path.samples) steps.push_back(shown_known(model, j));
    text +=
        fmt::format("{} ({})\n", fmt::join(steps, " - "), label_text(refitted.labels, path.label));
  }
  return text;
}

json explanation_json(const Explanation& explanation, const Model& model,
                      const Refitted& refitted) {
  const Contributions& parts = explanation.parts;
  const auto values = [](const auto& numbers) {
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  const auto entry = [&](Index sample, const auto& numbers) {
    json one{{"index", sample}, {"to", values(numbers)}};
    if (!model.info().sample_names.empty()) one["name"] = name_of_known(model, sample);
    return one;
  };
  json labels = json::array(), through = json::array(), paths = json::array();
  for (const Index k : ranked_labels(explanation)) {
    const Index label = refitted.system->targets.labeled[static_cast<std::size_t>(k)];
    json& one = labels.emplace_back(entry(label, parts.by_label.row(k)));
    if (const auto* numbers = std::get_if<TargetValues>(&refitted.labels)) {
      one["target"] = values(numbers->values.row(label));
    } else {
      one["class"] = label_text(refitted.labels, label);
    }
  }
  for (std::size_t k = 0; k < parts.through.size(); ++k) {
    through.push_back(entry(parts.through[k], parts.by_sample.row(static_cast<Index>(k))));
  }
  for (const Explanation::Path& path : explanation.paths) {
    paths.push_back({{"label", path.label}, {"samples", path.samples}});
  }
  const ExplainedSample& sample = explanation.sample;
  json document{{"index", sample.index},
                {"new", sample.fresh.has_value()},
                {"evidence", explanation.prediction.evidence.front() != 0},
                {"outputs", output_names(model.decision())},
                {"scores", values(parts.score)},
                {"constant", values(parts.constant)},
                {"contributions", labels},
                {"through", through},
                {"paths", paths}};
  if (!sample.name.empty()) document["name"] = sample.name;
  if (!explanation.prediction.class_index.empty()) {
    document["prediction"] = output_names(
        model.decision())[static_cast<std::size_t>(explanation.prediction.class_index.front())];
  }
  if (parts.radius) document["radius"] = *parts.radius;
  return document;
}

}  // namespace stkr::app
