#include "engine_problem.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "graph_problem.hpp"
#include "points_problem.hpp"
#include "selection/automatic_candidates.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

using nlohmann::json;

namespace {

// As the first process sees the file. What cannot be read is left to the reader of graphs.
DatasetKind kind_of(const Session& session, const ProblemSource& source) {
  auto kind = static_cast<int>(DatasetKind::graph);
  if (session.rank() == 0) {
    try {
      if (detail::sample_format(source.input, source.load) == FileFormat::npz) {
        kind = static_cast<int>(detail::npz_layout(NpzReader(source.input), source.load).kind);
      }
    } catch (const Error&) {
      kind = static_cast<int>(DatasetKind::graph);
    }
  }
  MPI_Bcast(&kind, 1, MPI_INT, 0, session.comm());
  return static_cast<DatasetKind>(kind);
}

// Throws ParameterError for the name of a data set that is part of stkr.
void expect_file(const std::string& input) {
  std::error_code ignored;
  if (std::filesystem::exists(input, ignored)) return;
  for (const ShippedInfo& info : shipped_datasets()) {
    if (input != info.name) continue;
    throw ParameterError(
        fmt::format("{0}: the PETSc engine reads files; write this data set to one first: stkr "
                    "data convert {0} {0}.npz",
                    input));
  }
}

std::unique_ptr<EngineProblem> read(const Session& session, const ProblemSource& source) {
  agree(session.comm(), [&] { expect_file(source.input); });
  switch (kind_of(session, source)) {
    case DatasetKind::points:
      return read_points_problem(session, source);
    case DatasetKind::graph:
      return read_graph_problem(session, source);
    case DatasetKind::kernel:
      break;
  }
  refuse("--kind", "use points or a graph");
}

}  // namespace

std::unique_ptr<EngineProblem> read_problem(const Session& session, const ProblemSource& source) {
  std::unique_ptr<EngineProblem> problem = read(session, source);
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
  if (!spec.added.empty()) refuse("--add-kernel", "use the graph alone");
}

Specification in_double(Specification spec) {
  if (spec.precision == Precision::single) refuse("--precision", "say --precision double");
  spec.precision = Precision::full;
  return spec;
}

bool leaves_kernel_open(const EngineProblem& problem, Specification& spec) {
  if (problem.kind() != DatasetKind::points || !is_open(spec) || !kernel_open(spec)) return false;
  const bool numbers = std::holds_alternative<TargetValues>(problem.samples().labels);
  const auto only = only_candidate(whole(problem), numbers, spec);
  if (!only) {
    refuse("--kernel", fmt::format("name one instead of leaving the choice among several to the "
                                   "labels, as for up to {} points: --kernel knn",
                                   kMostDense));
  }
  if (only->spec.kernel.get_if<NeighborGraphSpec>()->components > 0) {
    refuse("--kernel",
           "name one: with so many features, neighbors would be those in principal "
           "components; --kernel knn finds them in all features");
  }
  if (is_open(spec, /*kernel=*/false)) return true;
  spec = only->spec;
  return false;
}

ProblemShape whole(const EngineProblem& problem) {
  ProblemShape shape = problem.share().shape;
  shape.samples = problem.samples().layout->size();
  return shape;
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
