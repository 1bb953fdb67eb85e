#include "stkr/model/fit_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/answer_tally.hpp"
#include "estimator/embedding.hpp"
#include "format/crc64.hpp"
#include "model/fit_method.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/version.hpp"

namespace stkr {
namespace {

// "class mass  a x1.21, b x0.83"
Choice class_mass_choice(const ClassDecision& decision) {
  std::string value;
  constexpr Index kShown = 12;
  for (Index c = 0; c < std::min(kShown, decision.factors.size()); ++c) {
    value += fmt::format("{}{} x{:.3g}", c > 0 ? ", " : "", decision.names[c], decision.factors[c]);
  }
  if (decision.factors.size() > kShown) value += ", ...";
  return {"class mass", std::move(value), ""};
}

// Warnings about the predictions for the unlabeled samples.
std::vector<std::string> answer_warnings(const Model& model, const EncodedTargets& targets) {
  constexpr Index kPart = 4096;
  std::vector<char> labeled(static_cast<std::size_t>(model.size()), 0);
  for (const Index i : targets.labeled) labeled[i] = 1;
  AnswerTally tally;
  for (Index first = 0; first < model.size(); first += kPart) {
    const Index count = std::min(kPart, model.size() - first);
    const Predictions part = model.predict(first, count);
    for (Index i = 0; i < count; ++i) {
      if (labeled[first + i]) continue;
      if (part.class_index.empty()) {
        tally.add(1, part.evidence[i] ? 0 : 1);
      } else {
        tally.add(part.evidence[i] ? part.class_index[i] : Index{-1});
      }
    }
  }
  return tally.warnings("unlabeled samples", targets.decision);
}

}  // namespace

std::string fingerprint(const Dataset& dataset, bool features) {
  Crc64 crc;
  const auto add = [&](const auto* data, std::size_t count) {
    crc.update(std::as_bytes(std::span(data, count)));
  };
  std::visit(
      [&](const auto& samples) {
        if constexpr (requires { samples.adjacency; }) {
          add(samples.adjacency.row_start.data(), samples.adjacency.row_start.size());
          add(samples.adjacency.column.data(), samples.adjacency.column.size());
          add(samples.adjacency.value.data(), samples.adjacency.value.size());
        } else {
          crc.update(samples.values.bytes());
        }
      },
      dataset.samples);
  if (features && dataset.features) {
    crc.update(dataset.features->values.bytes());
  }
  if (const auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    add(classes->code.data(), classes->code.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    add(targets->values.data(), static_cast<std::size_t>(targets->values.size()));
  }
  return fmt::format("crc64:{:016x}", crc.value());
}

FittedModel fit_prepared(PreparedGram prepared, const Labels& labels, const Specification& spec,
                         const Execution& execution, const Context& context, ModelInfo info) {
  EncodedTargets targets = encode_targets(labels, spec.decision);
  Fit fit = fit_method(*prepared.gram, targets, spec, execution, prepared.choices, context);
  if (spec.decision.class_mass) {
    const std::vector<Index> unlabeled = unlabeled_samples(prepared.gram->size(), targets.labeled);
    const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
    std::vector<char> heard;
    for (const Index i : unlabeled) heard.push_back(evidence[i]);
    targets.decision =
        with_class_mass(std::move(targets.decision), gather_rows(fit.fitted, unlabeled), heard);
    if (unlabeled.empty()) {
      fit.summary.warnings.push_back(
          "class-mass normalization has no effect because every sample is labeled");
    }
    prepared.choices.push_back(class_mass_choice(std::get<ClassDecision>(targets.decision)));
  }
  targets.decision = with_constant(std::move(targets.decision), fit.constant);
  info.version = kVersion;
  info.method = fit.summary.method;
  info.transform = fit.summary.transform;
  info.kernel = prepared.description;
  info.solver = fit.summary.solve.solver;
  info.stop_reason = to_string(fit.summary.solve.reason);
  info.residual = fit.summary.solve.worst_residual();
  info.iterations = fit.summary.solve.iterations;
  info.beta = fit.summary.beta;
  info.labeled = static_cast<Index>(targets.labeled.size());
  FitSummary summary = fit.summary;
  std::optional<LabelReach> reach = label_reach(*prepared.gram, targets.labeled);
  std::optional<SpectralEmbedding> embedding = std::move(fit.embedding);
  if (spec.embedding > 0 && !embedding) {
    embedding = spectral_embedding(*prepared.gram, spec.embedding, context);
  }
  Model model(prepared.gram->cross_kernel(), std::move(fit), targets.decision, std::move(info));
  prepared.gram.reset();  // the model keeps what new samples need
  for (std::string& warning : answer_warnings(model, targets)) {
    summary.warnings.push_back(std::move(warning));
  }
  return {std::move(model), std::move(summary), std::move(prepared.choices), std::move(reach),
          std::move(embedding)};
}

FittedModel fit_model(Dataset& dataset, const Specification& spec, const Context& context) {
  const Plan plan = plan_fit(shape_of(dataset), spec, context);
  const Execution execution = chosen_execution(plan);
  // Invalid labels are rejected before the gram is built.
  encode_targets(dataset.labels, spec.decision);
  ModelInfo info;
  info.data_fingerprint = fingerprint(dataset, !spec.added.empty());
  info.samples = sample_kinds(dataset.kind(), spec);
  if (dataset.kind() == DatasetKind::points) info.feature_names = dataset.points().feature_names;
  if (dataset.features) info.feature_names = dataset.features->feature_names;
  if (auto* graph = std::get_if<Graph>(&dataset.samples)) {
    info.node_names = std::move(graph->node_names);
  }
  PreparedGram prepared = prepare_gram(dataset, spec, execution, context);
  if (context.memory > 0) prepared.choices.push_back({"memory", describe_choice(plan), plan.why});
  return fit_prepared(std::move(prepared), dataset.labels, spec, execution, context,
                      std::move(info));
}

}  // namespace stkr
