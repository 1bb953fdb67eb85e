#include "stkr/model/fit_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "estimator/answer_tally.hpp"
#include "estimator/embedding.hpp"
#include "estimator/volume_decision.hpp"
#include "format/crc64.hpp"
#include "format/utf8.hpp"
#include "model/fit_diagnostics.hpp"
#include "model/fit_method.hpp"
#include "model/label_warnings.hpp"
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
std::vector<std::string> answer_warnings(const Model& model, const EncodedTargets& targets,
                                         const SharedRows* rows) {
  constexpr Index kPart = 4096;
  std::vector<char> labeled(static_cast<std::size_t>(model.size()), 0);
  for (const Index i : local_samples(rows, targets.labeled)) labeled[i] = 1;
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
  tally.sum_over(rows, model.outputs());
  return tally.warnings("unlabeled samples", targets.decision);
}

}  // namespace

std::string fingerprint(const Dataset& dataset, bool features) {
  Crc64 crc;
  const auto add = [&](const auto* data, std::size_t count) {
    crc.update(std::as_bytes(std::span(data, count)));
  };
  const auto add_csr = [&](const CsrMatrix& matrix) {
    add(matrix.row_start.data(), matrix.row_start.size());
    add(matrix.column.data(), matrix.column.size());
    add(matrix.value.data(), matrix.value.size());
  };
  const auto add_points = [&](const Points& points) {
    if (const auto& sparse = points.values.sparse()) {
      add_csr(*sparse);
    } else {
      crc.update(points.values.dense().bytes());
    }
  };
  if (const auto* points = std::get_if<Points>(&dataset.samples)) {
    add_points(*points);
  } else if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
    add_csr(graph->adjacency);
  } else {
    crc.update(dataset.kernel().values.bytes());
  }
  if (features && dataset.features) add_points(*dataset.features);
  if (const auto* classes = std::get_if<ClassLabels>(&dataset.labels)) {
    add(classes->code.data(), classes->code.size());
  } else if (const auto* targets = std::get_if<TargetValues>(&dataset.labels)) {
    add(targets->values.data(), static_cast<std::size_t>(targets->values.size()));
  }
  return fmt::format("crc64:{:016x}", crc.value());
}

ModelInfo data_info(Dataset& dataset, const Specification& spec) {
  ModelInfo info;
  info.data_fingerprint = fingerprint(dataset, !spec.added.empty());
  info.samples = sample_kinds(dataset.kind(), spec);
  if (dataset.kind() == DatasetKind::points) info.feature_names = dataset.points().feature_names;
  if (dataset.features) info.feature_names = dataset.features->feature_names;
  info.id_column = dataset.sample_name_column();
  if (dataset.source.ends_with(".h5ad") && is_utf8(dataset.source)) {
    info.anndata_file = dataset.source;
  }
  info.encoding = dataset.encoding;
  auto* graph = std::get_if<Graph>(&dataset.samples);
  info.sample_names = std::move(graph != nullptr ? graph->node_names : dataset.ids);
  return info;
}

namespace {

// A gram with everything that a fit to it needs and leaves.
struct Problem {
  PreparedGram prepared;
  Specification spec;
  Execution execution;
  ModelInfo info;
  EncodedTargets targets{};
  std::vector<Choice> choices{};  // of the gram, then of the method
  Fit fit{};
  std::vector<std::string> warnings{};  // about the data

  // Leaves everything as it was if it throws.
  void solve(const Labels& labels, const Context& context, RefitState* state) {
    const SharedRows* rows = prepared.gram->shared_rows();
    EncodedTargets encoded = encode_targets(labels, spec.decision, rows);
    std::vector<Choice> chosen = prepared.choices;
    fit = fit_method(*prepared.gram, encoded, spec, execution, chosen, context, state);
    targets = std::move(encoded);
    choices = std::move(chosen);
    if (spec.decision.class_mass) {
      normalize_class_mass();
    } else if (spec.decision.by_volume) {
      use_class_sizes(context);
    }
    targets.decision = with_constant(std::move(targets.decision), fit.constant);
    calibrate_decision(targets, fit, targets.decision);
    if (spec.leave_one_out && fit.left_out.rows() == 0) {
      fit.summary.warnings.push_back(
          fmt::format("labels are not left out, though that was asked for: {}", kNotLeftOut));
    }
  }

  void normalize_class_mass() {
    const SharedRows* rows = prepared.gram->shared_rows();
    const std::vector<Index> unlabeled =
        unlabeled_rows(rows, prepared.gram->size(), targets.labeled);
    const std::vector<char> evidence = fit.evidence.of_known(0, fit.fitted);
    std::vector<char> heard;
    for (const Index i : unlabeled) heard.push_back(evidence[i]);
    targets.decision = with_class_mass(std::move(targets.decision),
                                       gather_rows(fit.fitted, unlabeled), heard, rows);
    const auto* stkr = std::get_if<StkrSpec>(&spec.method);
    if (stkr && stkr->transform &&
        std::holds_alternative<PoissonTransform>(stkr->transform->form())) {
      fit.summary.warnings.push_back(
          "class-mass normalization scales positive scores, and those of the Poisson transform are "
          "centered: class sizes will hardly change; use another transform, or on a graph the "
          "prior "
          "without class mass");
    }
    if (all_over(rows, unlabeled.empty())) {
      fit.summary.warnings.push_back(
          "class-mass normalization has no effect because every sample is labeled");
    }
    choices.push_back(class_mass_choice(std::get<ClassDecision>(targets.decision)));
  }

  // Class sizes that are given hold for the predictions too, not only for samples without evidence.
  void use_class_sizes(const Context& context) {
    auto* classes = std::get_if<ClassDecision>(&targets.decision);
    if (!classes) return;
    if (decide_by_volume(*prepared.gram, targets, fit, *classes, context.inner())) {
      Choice choice = class_mass_choice(*classes);
      choices.push_back({"class sizes", choice.value, "factors; decided by volume"});
    } else {
      normalize_class_mass();
    }
  }

  ModelInfo model_info() const {
    ModelInfo result = info;
    result.version = kVersion;
    result.method = fit.summary.method;
    result.transform = fit.summary.transform;
    result.kernel = prepared.description;
    result.solver = fit.summary.solve.solver;
    result.stop_reason = to_string(fit.summary.solve.reason);
    result.residual = fit.summary.solve.worst_residual();
    result.iterations = fit.summary.solve.iterations;
    result.beta = fit.summary.beta;
    result.labeled = static_cast<Index>(targets.labeled.size());
    return result;
  }

  // The model of a fit of this problem: its own, or a copy. `last`: frees the gram, of which the
  // model keeps what new samples need.
  FittedModel model(Fit given, bool last, const Context& context) {
    FitSummary summary = given.summary;
    std::optional<LabelReach> reach = label_reach(*prepared.gram, targets.labeled);
    std::optional<SpectralEmbedding> embedding = std::move(given.embedding);
    if (spec.embedding > 0 && !embedding) {
      embedding = spectral_embedding(*prepared.gram, spec.embedding, context);
    }
    std::optional<FitDiagnostics> diagnostics;
    if (spec.diagnostics || spec.leave_one_out) {
      diagnostics =
          fit_diagnostics(*prepared.gram, targets, given, spec.diagnostics, context.inner());
    }
    std::vector<AverageTerm> terms = std::move(given.terms);
    const SharedRows* rows = prepared.gram->shared_rows();
    Model result(prepared.gram->cross_kernel(), std::move(given), targets.decision, model_info());
    std::shared_ptr<const FittedSystem> system;
    if (last && spec.keep_system) {
      system = std::make_shared<const FittedSystem>(
          FittedSystem{std::move(prepared.gram), targets, std::move(terms), 1e-8, 1000, execution});
    }
    summary.warnings.insert(summary.warnings.begin(), warnings.begin(), warnings.end());
    if (!prepared.left_to_host.empty()) summary.warnings.push_back(prepared.left_to_host);
    for (std::string& warning : answer_warnings(result, targets, rows)) {
      summary.warnings.push_back(std::move(warning));
    }
    if (last) prepared.gram.reset();
    return {std::move(result),    std::move(summary),     choices,          std::move(reach),
            std::move(embedding), std::move(diagnostics), std::move(system)};
  }
};

Problem planned_problem(Dataset& dataset, const Specification& spec, const Context& context) {
  const Plan plan = plan_fit(shape_of(dataset), spec, context);
  const Execution execution = chosen_execution(plan);
  // Invalid labels are rejected before the gram is built.
  encode_targets(dataset.labels, spec.decision);
  ModelInfo info = data_info(dataset, spec);
  std::vector<std::string> warnings = label_warnings(dataset);
  PreparedGram prepared = prepare_gram(dataset, spec, execution, context);
  if (context.memory > 0) prepared.choices.push_back({"memory", describe_choice(plan), plan.why});
  Problem problem{std::move(prepared), spec, execution, std::move(info)};
  problem.warnings = std::move(warnings);
  return problem;
}

// α for other labels: rows of samples that were labeled before, 0 for the others.
Matrix alpha_for(const std::vector<Index>& labeled, const std::vector<Index>& before,
                 const Matrix& alpha) {
  std::unordered_map<Index, Index> row;
  for (std::size_t k = 0; k < before.size(); ++k) row[before[k]] = static_cast<Index>(k);
  Matrix result = Matrix::Zero(static_cast<Index>(labeled.size()), alpha.cols());
  for (std::size_t k = 0; k < labeled.size(); ++k) {
    if (const auto found = row.find(labeled[k]); found != row.end()) {
      result.row(static_cast<Index>(k)) = alpha.row(found->second);
    }
  }
  return result;
}

FittedModel fit_once(Problem problem, const Labels& labels, const Context& context) {
  problem.solve(labels, context, nullptr);
  // The summary's strings are needed by model_info() after the fit has moved.
  Fit fit = std::move(problem.fit);
  problem.fit.summary = fit.summary;
  return problem.model(std::move(fit), /*last=*/true, context);
}

}  // namespace

FittedModel fit_prepared(PreparedGram prepared, const Labels& labels, const Specification& spec,
                         const Execution& execution, const Context& context, ModelInfo info) {
  return fit_once({std::move(prepared), spec, execution, std::move(info)}, labels, context);
}

FittedModel fit_model(Dataset& dataset, const Specification& spec, const Context& context) {
  return fit_once(planned_problem(dataset, spec, context), dataset.labels, context);
}

struct FittedProblem::Implementation {
  Problem problem;
  RefitState state{};
};

FittedProblem::FittedProblem(Dataset& dataset, const Specification& spec, const Context& context)
    : impl_(new Implementation{planned_problem(dataset, spec, context)}) {
  impl_->problem.solve(dataset.labels, context, &impl_->state);
}

FittedProblem::FittedProblem(PreparedGram prepared, const Labels& labels, const Specification& spec,
                             const Execution& execution, const Context& context, ModelInfo info)
    : impl_(new Implementation{{std::move(prepared), spec, execution, std::move(info)}}) {
  impl_->problem.solve(labels, context, &impl_->state);
}

FittedProblem::~FittedProblem() = default;
FittedProblem::FittedProblem(FittedProblem&&) noexcept = default;

const GramOperator& FittedProblem::gram() const { return *impl_->problem.prepared.gram; }

const Fit& FittedProblem::fit() const { return impl_->problem.fit; }

void FittedProblem::relabel(const Labels& labels, const Context& context) {
  if (sample_count(labels) != gram().size()) {
    throw ShapeError(fmt::format("relabel: {} labels for {} samples; pass one per sample",
                                 sample_count(labels), gram().size()));
  }
  RefitState next = impl_->state;
  if (next.alpha.size() > 0) {
    next.alpha = alpha_for(labeled_indices(labels), impl_->problem.targets.labeled, next.alpha);
  }
  impl_->problem.solve(labels, context, &next);
  impl_->state = std::move(next);
}

FittedModel FittedProblem::model(const Context& context) const {
  return impl_->problem.model(impl_->problem.fit, /*last=*/false, context);
}

}  // namespace stkr
