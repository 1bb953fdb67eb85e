#include "engine_problem.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "graph_problem.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

using nlohmann::json;

std::unique_ptr<EngineProblem> read_problem(const Session& session, const ProblemSource& source) {
  std::unique_ptr<EngineProblem> problem = read_graph_problem(session, source);
  SharedSamples& samples = problem->samples();
  if (source.all_labels) {
    samples.labels = samples.truth;
    const auto own = static_cast<double>(labeled_indices(samples.labels).size());
    samples.labeled = static_cast<Index>(sum_over(samples.layout.get(), own));
  }
  for (const std::string& text : samples.notes) app::note(text);
  if (samples.labeled > 0) return problem;
  throw DataError(
      fmt::format("{}: no labeled sample; label at least a few samples (class -1, an "
                  "empty cell, NA or NaN means unlabeled)",
                  source.input));
}

void check_supported(const Specification& spec) {
  if (spec.center) refuse("--center", "omit it");
  if (!spec.added.empty()) refuse("--add-kernel", "use the graph alone");
  if (spec.decision.by_volume && !spec.decision.class_mass) {
    refuse("--prior", "use it with --class-mass");
  }
  const auto* stkr = std::get_if<StkrSpec>(&spec.method);
  if (!stkr || !stkr->transform) return;
  for (const TransformTerm& term : terms_of(*stkr->transform)) {
    if (std::holds_alternative<TruncationTransform>(term.transform.form())) {
      refuse("--transform", "use --method kernel-pca instead of a truncation");
    }
    if (stkr->solver == StkrSolver::richardson && term.transform.reciprocal_form()) {
      refuse("--solver", "use automatic instead of richardson for a reciprocal transform");
    }
  }
}

std::uint64_t least_memory(const Session& session, std::uint64_t own) {
  std::uint64_t least = own;
  reduce(&own, &least, 1, MPI_UINT64_T, MPI_MIN, session.comm());
  return least;
}

Index outputs_of(const Labels& labels) {
  const auto* classes = std::get_if<ClassLabels>(&labels);
  return static_cast<Index>(classes ? classes->names.size()
                                    : std::get<TargetValues>(labels).names.size());
}

json problem_json(const EngineProblem& problem) {
  const SharedSamples& samples = problem.samples();
  json result{{"name", samples.name},
              {"source", samples.source},
              {"kind", kind_name(problem.kind())},
              {"samples", samples.layout->size()},
              {"labeled", samples.labeled}};
  problem.add_facts(result);
  if (!samples.label_source.empty()) result["label_source"] = samples.label_source;
  if (!samples.id_column.empty()) result["id_column"] = samples.id_column;
  if (const auto* classes = std::get_if<ClassLabels>(&samples.labels)) {
    Matrix counts = Matrix::Zero(1, static_cast<Index>(classes->names.size()));
    for (const std::int32_t code : classes->code) {
      if (code != kUnlabeled) counts(0, code) += 1.0;
    }
    samples.layout->sum(counts);
    result["task"] = "classification";
    result["classes"] = json::array();
    for (Index c = 0; c < counts.cols(); ++c) {
      result["classes"].push_back({{"name", classes->names[static_cast<std::size_t>(c)]},
                                   {"labeled", static_cast<Index>(counts(0, c))}});
    }
  } else if (const auto* targets = std::get_if<TargetValues>(&samples.labels)) {
    result["task"] = "regression";
    result["targets"] = targets->names;
  }
  return result;
}

json engine_json(const Session& session, int threads) {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double own = 1024.0 * static_cast<double>(usage.ru_maxrss);
  double peak = 0.0;
  reduce(&own, &peak, 1, MPI_DOUBLE, MPI_MAX, session.comm());
  return {{"name", "petsc"},
          {"processes", session.ranks()},
          {"threads", threads},
          {"peak_bytes", peak}};
}

}  // namespace stkr::petsc
