#include "fit_report.hpp"

#include <fmt/format.h>

#include "choice_json.hpp"
#include "console.hpp"
#include "shell_word.hpp"
#include "specification_text.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

// The index of a sample and, if it has one, its name.
std::string shown_sample(const Model& model, Index sample) {
  const std::vector<std::string>& names = model.info().sample_names;
  return names.empty() ? std::to_string(sample)
                       : fmt::format("{} ({})", names[static_cast<std::size_t>(sample)], sample);
}

}  // namespace

json summary_json(const FitSummary& summary) {
  json result{{"method", summary.method},
              {"transform", summary.transform},
              {"solver", summary.solve.solver},
              {"stop_reason", to_string(summary.solve.reason)},
              {"converged", summary.solve.converged()},
              {"iterations", summary.solve.iterations},
              {"column_iterations", summary.solve.column_iterations},
              {"residuals", summary.solve.residuals},
              {"products", summary.products},
              {"seconds", summary.seconds},
              {"warnings", summary.warnings}};
  if (!summary.solve.preconditioner.empty()) {
    result["preconditioner"] = summary.solve.preconditioner;
    result["preconditioner_products"] = summary.solve.preconditioner_products;
  }
  if (summary.solve.rough_products > 0) {
    result["rough_products"] = summary.solve.rough_products;
    result["rough_precision"] = summary.solve.rough_precision;
  }
  if (!summary.solve.message.empty()) result["message"] = summary.solve.message;
  if (summary.approximation_error) result["approximation_error"] = *summary.approximation_error;
  if (summary.answer_error) result["answer_error"] = *summary.answer_error;
  if (summary.beta > 0.0) result["beta"] = summary.beta;
  if (summary.ridge > 0.0) result["ridge"] = summary.ridge;
  if (summary.validity) {
    result["spectrum"] = {summary.spectrum.lower, summary.spectrum.upper};
    for (const ConditionCheck& check : summary.validity->conditions) {
      result["theorem_1"].push_back(
          {{"condition", check.condition}, {"holds", check.holds}, {"finding", check.finding}});
    }
  }
  return result;
}

json tried_json(const AutomaticFit& fit, const std::string& repeat) {
  json tried = json::array();
  for (const TriedAutomatically& one : fit.tried) {
    json entry{{"kernel", one.kernel}};
    if (one.score) entry["score"] = *one.score;
    if (!one.best.empty()) entry["best"] = one.best;
    if (!one.left_out.empty()) entry["left_out"] = one.left_out;
    tried.push_back(std::move(entry));
  }
  return {{"scored_by", fit.scored_by},
          {"kernels", tried},
          {"options", shell_text(option_words(fit.spec))},
          {"repeat", repeat}};
}

json suggestions_json(const std::vector<Suggestion>& suggested, const Model& model) {
  json list = json::array();
  const std::vector<std::string>& names = model.info().sample_names;
  for (const Suggestion& one : suggested) {
    json entry{{"index", one.sample}, {"reduction", one.reduction}, {"variance", one.variance}};
    if (!names.empty()) entry["name"] = names[static_cast<std::size_t>(one.sample)];
    if (one.predicted >= 0) {
      entry["prediction"] =
          std::get<ClassDecision>(model.decision()).names[static_cast<std::size_t>(one.predicted)];
    }
    list.push_back(std::move(entry));
  }
  return list;
}

json fit_json(const FitReport& report, DatasetKind kind, const std::vector<std::string>& notes) {
  const FittedModel& result = report.fit.fitted;
  json document{{"model", report.output},
                {"summary", summary_json(result.summary)},
                {"without_evidence", report.without_evidence},
                {"tied", report.tied}};
  if (result.reach) {
    document["components"] = {{"count", result.reach->components()},
                              {"without_label", result.reach->components_without_label()},
                              {"samples_without_label", result.reach->samples_without_label()}};
  }
  if (const auto* classes = std::get_if<ClassDecision>(&result.model.decision());
      classes && classes->factors.size() > 0) {
    document["class_mass"] = {
        {"factors", std::vector<double>(classes->factors.begin(), classes->factors.end())},
        {"prior", std::vector<double>(classes->prior.begin(), classes->prior.end())}};
  }
  if (!report.repeat.empty()) document["chosen"] = tried_json(report.fit, report.repeat);
  if (!report.unreached.empty()) document["unreached"] = report.unreached;
  if (!report.page.empty()) document["html"] = report.page;
  document["choices"] = choices_json(result.choices);
  document["kernel"] = kernel_json(report.fit.spec, kind, result.choices);
  if (result.summary.beta > 0.0) document["beta"] = result.summary.beta;
  if (result.summary.ridge > 0.0) document["ridge"] = result.summary.ridge;
  add_method(report.fit.spec, result.choices, document);
  document["notes"] = notes;
  document["warnings"] = result.summary.warnings;
  if (report.score) document["hidden"] = score_json(*report.score);
  if (!report.suggested.empty()) {
    document["suggestions"] = suggestions_json(report.suggested, result.model);
  }
  return document;
}

void print_fit_report(const FitReport& report) {
  const FittedModel& result = report.fit.fitted;
  std::vector<std::pair<std::string, std::string>> fields{{"data", report.data}};
  for (const Choice& choice : result.choices) {
    fields.emplace_back(choice.what, choice.why.empty()
                                         ? choice.value
                                         : fmt::format("{}  ({})", choice.value, choice.why));
  }
  const SolveSummary& solve = result.summary.solve;
  fields.emplace_back(
      "solver",
      fmt::format("{}: {}, residual {:.1e}, {} product{}, {:.2f} s", solve.solver,
                  to_string(solve.reason), solve.worst_residual(), result.summary.products,
                  result.summary.products == 1 ? "" : "s", result.summary.seconds));
  if (!solve.preconditioner.empty()) {
    fields.emplace_back("preconditioner",
                        fmt::format("{}: {} of the products, then {} steps", solve.preconditioner,
                                    solve.preconditioner_products, solve.iterations));
  }
  if (solve.rough_products > 0) {
    fields.emplace_back("mixed precision",
                        fmt::format("{} of the products in {}, residuals and the others in full",
                                    solve.rough_products, solve.rough_precision));
  }
  if (result.summary.approximation_error) {
    fields.emplace_back("transform error",
                        fmt::format("at most {:.1e} in s; at most {:.1e} in f, relative",
                                    *result.summary.approximation_error,
                                    result.summary.answer_error.value_or(0.0)));
  }
  if (result.reach) {
    const LabelReach& reach = *result.reach;
    std::string text = with_commas(reach.components());
    if (reach.components_without_label() > 0) {
      text += fmt::format(", {} of them without a label: {} samples",
                          with_commas(reach.components_without_label()),
                          with_commas(reach.samples_without_label()));
    }
    fields.emplace_back("components", std::move(text));
  }
  if (report.without_evidence > 0) {
    fields.emplace_back("no evidence",
                        describe_without_evidence(report.without_evidence, report.tied));
  }
  if (report.score) fields.emplace_back("hidden labels", describe_score(*report.score));
  std::string next;
  for (const Suggestion& one : report.suggested) {
    next += (next.empty() ? "" : ", ") + shown_sample(result.model, one.sample);
  }
  if (!next.empty()) fields.emplace_back("label next", next);
  if (!report.repeat.empty()) fields.emplace_back("repeat with", report.repeat);
  fields.emplace_back("model", report.output);
  if (!report.unreached.empty()) fields.emplace_back("unreached", report.unreached);
  if (!report.page.empty()) fields.emplace_back("page", report.page);
  fmt::print("{}", format_fields(fields));
  for (const std::string& warning : result.summary.warnings) warn(warning);
}

}  // namespace stkr::app
