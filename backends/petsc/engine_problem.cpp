#include "engine_problem.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "format/graph_parts.hpp"
#include "graph_problem.hpp"
#include "points_problem.hpp"
#include "reading_watch.hpp"
#include "selection/automatic_candidates.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {

using nlohmann::json;

namespace {

// Throws unless this is a file that every process can read.
void expect_file(const std::string& input) {
  refuse_standard_input(input);
  std::error_code ignored;
  if (std::filesystem::exists(input, ignored)) return;
  for (const ShippedInfo& info : shipped_datasets()) {
    if (input != info.name) continue;
    throw ParameterError(
        fmt::format("{0}: the PETSc engine reads files; write this data set to one first: stkr "
                    "data convert {0} {0}.npz",
                    input));
  }
  detail::no_such_file(input);
}

// As one machine sees the kind, where archives alone have points.
DatasetKind kind_of_file(const std::string& input, const LoadOptions& load) {
  const FileFormat format = detail::sample_format(input, load);
  if (format == FileFormat::npz) return detail::npz_layout(NpzReader(input), load).kind;
  const bool table =
      format == FileFormat::csv || format == FileFormat::npy || format == FileFormat::svmlight;
  const DatasetKind kind = load.kind.value_or(table ? DatasetKind::points : DatasetKind::graph);
  if (kind != DatasetKind::points) return kind;
  if (format == FileFormat::parts) {
    throw DataError(
        fmt::format("{}: contains a graph, expected data of kind {}", input, kind_name(kind)));
  }
  throw ParameterError(fmt::format(
      "{0}: the PETSc engine reads points from .npz files, not from files of format {1}; convert "
      "it first: stkr data convert {0} points.npz{2}",
      input, format_name(format), table ? "" : " --kind points"));
}

// Throws ParameterError if one machine would choose a kernel with the features in a graph's file.
void expect_no_node_features(const ProblemSource& source) {
  if (!source.load.node_features) return;
  const FileFormat format = detail::sample_format(source.input, source.load);
  std::optional<NpzReader> nodes;
  if (format == FileFormat::npz) nodes.emplace(source.input);
  if (format == FileFormat::parts) nodes = GraphParts(source.input).samples();
  if (!nodes || !detail::has_points(*nodes)) return;
  throw ParameterError(
      fmt::format("{}: has node features, which the PETSc engine does not use; name a kernel of "
                  "the graph alone: --kernel lazy-walk",
                  source.input));
}

std::unique_ptr<EngineProblem> read(const Session& session, const ProblemSource& source) {
  switch (kind_of(session, source.input, source.load)) {
    case DatasetKind::points:
      return read_points_problem(session, source);
    case DatasetKind::graph:
      agree(session, [&] {
        if (session.rank() == 0) expect_no_node_features(source);
      });
      return read_graph_problem(session, source);
    case DatasetKind::kernel:
      break;
  }
  refuse("--kind", "use points or a graph");
}

}  // namespace

DatasetKind kind_of(const Session& session, const std::string& input, const LoadOptions& load) {
  auto kind = static_cast<int>(DatasetKind::graph);
  agree(session, [&] {
    expect_file(input);
    if (session.rank() == 0) kind = static_cast<int>(kind_of_file(input, load));
  });
  MPI_Bcast(&kind, 1, MPI_INT, 0, session.comm());
  return static_cast<DatasetKind>(kind);
}

std::unique_ptr<EngineProblem> read_problem(const Session& session, const ProblemSource& source,
                                            app::ProgressBar& bar) {
  std::unique_ptr<EngineProblem> problem;
  {
    const app::ReadingWatch watch(bar, source.input);
    problem = read(session, source);
  }
  bar.clear();  // notes follow
  SharedSamples& samples = problem->samples();
  if (source.all_labels) {
    samples.labels = samples.truth;
    const auto own = static_cast<double>(labeled_indices(samples.labels).size());
    samples.labeled = static_cast<Index>(sum_over(samples.layout.get(), own));
  }
  for (const std::string& text : samples.notes) app::note(text);
  if (samples.labeled > 0) return problem;
  app::no_labels(source.input, samples.truth, samples.label_source, samples.label_candidates);
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
