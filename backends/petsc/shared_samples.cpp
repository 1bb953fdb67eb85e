#include "shared_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

#include "format/file_format.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using nlohmann::json;

std::string passed_on(std::string text, MPI_Comm comm) {
  auto size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
  return text;
}

// Which rows of an array every process has, as MPI wants it.
struct RowParts {
  RowParts(const RowLayout& layout, Index width, MPI_Datatype type) {
    const auto starts = layout.starts();
    for (std::size_t p = 0; p + 1 < starts.size(); ++p) {
      counts.push_back(static_cast<int>(starts[p + 1] - starts[p]));
      from.push_back(static_cast<int>(starts[p]));
    }
    MPI_Type_contiguous(static_cast<int>(width), type, &row);
    MPI_Type_commit(&row);
  }
  ~RowParts() { MPI_Type_free(&row); }
  RowParts(const RowParts&) = delete;
  RowParts& operator=(const RowParts&) = delete;

  std::vector<int> counts, from;
  MPI_Datatype row = MPI_DATATYPE_NULL;
};

// The rows of every process of an array that the first has.
template <class T>
std::vector<T> dealt(const std::vector<T>& all, Index width, MPI_Datatype type,
                     const RowLayout& layout) {
  const RowParts parts(layout, width, type);
  std::vector<T> own(static_cast<std::size_t>(layout.count() * width));
  MPI_Scatterv(all.data(), parts.counts.data(), parts.from.data(), parts.row, own.data(),
               static_cast<int>(layout.count()), parts.row, 0, layout.comm());
  return own;
}

// The labels of this process's rows, from all labels in the first process.
Labels dealt(const Labels& all, const RowLayout& layout) {
  json head{{"kind", static_cast<int>(all.index())}};
  if (const auto* classes = std::get_if<ClassLabels>(&all)) {
    head["names"] = classes->names;
    head["boolean"] = classes->boolean;
  } else if (const auto* targets = std::get_if<TargetValues>(&all)) {
    head["names"] = targets->names;
  }
  head = json::parse(passed_on(head.dump(), layout.comm()));
  const int kind = head["kind"].get<int>();
  if (kind == 0) return {};
  auto names = head["names"].get<std::vector<std::string>>();
  if (kind == 1) {
    const auto* classes = std::get_if<ClassLabels>(&all);
    return ClassLabels{
        std::move(names),
        dealt(classes ? classes->code : std::vector<std::int32_t>(), 1, MPI_INT32_T, layout),
        head["boolean"].get<bool>()};
  }
  const auto width = static_cast<Index>(names.size());
  std::vector<double> values;
  if (const auto* targets = std::get_if<TargetValues>(&all)) {
    values.assign(targets->values.data(), targets->values.data() + targets->values.size());
  }
  values = dealt(values, width, MPI_DOUBLE, layout);
  return TargetValues{std::move(names),
                      Eigen::Map<const Matrix>(values.data(), layout.count(), width)};
}

}  // namespace

template <class T>
std::vector<T> gathered(const std::vector<T>& own, Index width, MPI_Datatype type,
                        const RowLayout& layout) {
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  const RowParts parts(layout, width, type);
  std::vector<T> all(rank == 0 ? static_cast<std::size_t>(layout.size() * width) : 0);
  MPI_Gatherv(own.data(), static_cast<int>(layout.count()), parts.row, all.data(),
              parts.counts.data(), parts.from.data(), parts.row, 0, layout.comm());
  return all;
}
template std::vector<char> gathered(const std::vector<char>&, Index, MPI_Datatype,
                                    const RowLayout&);
template std::vector<std::int32_t> gathered(const std::vector<std::int32_t>&, Index, MPI_Datatype,
                                            const RowLayout&);

Labels gathered(const Labels& own, const RowLayout& layout) {
  if (const auto* classes = std::get_if<ClassLabels>(&own)) {
    std::vector<std::int32_t> codes = gathered(classes->code, 1, MPI_INT32_T, layout);
    if (codes.empty()) return {};
    return ClassLabels{classes->names, std::move(codes), classes->boolean};
  }
  const auto* targets = std::get_if<TargetValues>(&own);
  if (!targets) return {};
  const std::vector<double> values = gathered(
      std::vector<double>(targets->values.data(), targets->values.data() + targets->values.size()),
      targets->values.cols(), MPI_DOUBLE, layout);
  if (values.empty()) return {};
  return TargetValues{targets->names, Eigen::Map<const Matrix>(values.data(), layout.size(),
                                                               targets->values.cols())};
}

SharedSamples share_samples(Dataset at_first, Layout layout) {
  SharedSamples result;
  result.labels = dealt(at_first.labels, *layout);
  result.truth = dealt(at_first.truth, *layout);
  const json text = json::parse(passed_on(json{{"name", at_first.name},
                                               {"source", at_first.source},
                                               {"label_source", at_first.label_source},
                                               {"notes", at_first.notes},
                                               {"candidates", at_first.label_candidates},
                                               {"id_column", at_first.sample_name_column()},
                                               {"id_bytes", shape_of(at_first).names}}
                                              .dump(),
                                          layout->comm()));
  text.at("name").get_to(result.name);
  text.at("source").get_to(result.source);
  text.at("label_source").get_to(result.label_source);
  text.at("notes").get_to(result.notes);
  text.at("candidates").get_to(result.label_candidates);
  text.at("id_column").get_to(result.id_column);
  text.at("id_bytes").get_to(result.id_bytes);
  if (auto* graph = std::get_if<Graph>(&at_first.samples))
    result.ids = std::move(graph->node_names);
  result.labeled = static_cast<Index>(
      sum_over(layout.get(), static_cast<double>(labeled_indices(result.labels).size())));
  result.layout = std::move(layout);
  return result;
}

std::vector<Index> all_labeled(const SharedSamples& samples) {
  std::vector<Index> own = labeled_indices(samples.labels);
  for (Index& i : own) i += samples.layout->first();
  return samples.layout->joined(own);
}

Dataset assembled_labels(detail::Parsed parsed, const std::filesystem::path& path, Index samples,
                         const LoadOptions& options, Index per_class, std::uint64_t seed) {
  Graph graph;
  if (auto* named = std::get_if<Graph>(&parsed.samples)) graph = std::move(*named);
  graph.adjacency.rows = graph.adjacency.cols = samples;
  parsed.samples = std::move(graph);
  LoadOptions own = options;
  own.features_file.clear();
  Dataset dataset =
      detail::assemble(std::move(parsed), own, without_gz(path).stem().string(), path.string());
  if (!dataset.ids.empty()) {
    throw ParameterError(fmt::format(
        "{}: the PETSc engine does not support names of samples (sample_names) yet; remove the "
        "array",
        path.string()));
  }
  if (per_class > 0) {
    const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
    if (!classes) throw ParameterError("--per-class needs class labels in the data");
    keep_only(dataset.labels, labeled_per_class(*classes, per_class, seed));
  }
  return dataset;
}

void append_rows(const RowLayout& layout, std::span<const std::byte> own, Crc64& crc) {
  Crc64 part;
  part.update(own);
  const std::array<Index, 2> head = {std::bit_cast<Index>(part.value()),
                                     static_cast<Index>(own.size())};
  const std::vector<Index> all = layout.joined(head);
  for (std::size_t p = 0; p < all.size(); p += 2) {
    crc.append(std::bit_cast<std::uint64_t>(all[p]), static_cast<std::uint64_t>(all[p + 1]));
  }
}

void append_labels(const SharedSamples& samples, Crc64& crc) {
  if (const auto* classes = std::get_if<ClassLabels>(&samples.labels)) {
    append_rows(*samples.layout, std::as_bytes(std::span(classes->code)), crc);
  } else if (const auto* targets = std::get_if<TargetValues>(&samples.labels)) {
    const std::span values(targets->values.data(),
                           static_cast<std::size_t>(targets->values.size()));
    append_rows(*samples.layout, std::as_bytes(values), crc);
  }
}

}  // namespace stkr::petsc
