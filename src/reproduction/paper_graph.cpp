#include "reproduction/paper_graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "format/crc64.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

std::string fingerprint_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Crc64 crc;
  std::vector<char> buffer(1 << 20);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    crc.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(in.gcount()))));
  }
  return fmt::format("{:016x}", crc.value());
}

CsrMatrix without_weights_and_loops(const CsrMatrix& matrix) {
  CsrMatrix result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.row_start.push_back(0);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (std::int64_t k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
      if (matrix.column[k] != i) result.column.push_back(matrix.column[k]);
    }
    result.row_start.push_back(static_cast<std::int64_t>(result.column.size()));
  }
  result.value.assign(result.column.size(), 1.0);
  return result;
}

}  // namespace

std::filesystem::path paper_graph_path(const std::filesystem::path& folder,
                                       const PaperDataset& dataset) {
  return folder / (std::string(dataset.name) + ".npz");
}

PaperGraph load_paper_graph(const std::filesystem::path& path, const PaperDataset& expected) {
  LoadOptions options;
  options.kind = DatasetKind::graph;
  options.task = Task::classification;
  options.symmetrize = true;
  PaperGraph result{load_dataset(path, options), fingerprint_of(path), {}};
  Dataset& dataset = result.dataset;
  dataset.labels = dataset.truth;  // the split determines which labels are hidden
  const auto* classes = std::get_if<ClassLabels>(&dataset.labels);
  if (!classes) {
    throw DataError(
        fmt::format("{}: has no classes; expected an array 'labels' with an integer for "
                    "each node",
                    path.string()));
  }
  const auto unlabeled = std::count(classes->code.begin(), classes->code.end(), kUnlabeled);
  if (unlabeled > 0) {
    throw DataError(
        fmt::format("{}: {} of {} nodes have no class; the paper's splits need a class for every "
                    "node",
                    path.string(), unlabeled, classes->code.size()));
  }
  CsrMatrix& adjacency = std::get<Graph>(dataset.samples).adjacency;
  adjacency = without_weights_and_loops(adjacency);
  const auto check = [&](const char* what, Index found, Index paper) {
    if (found != paper) {
      result.warnings.push_back(
          fmt::format("{}: {} {}, but the paper's {} has {}; the results are compared anyway",
                      path.string(), found, what, expected.title, paper));
    }
  };
  check("nodes", dataset.size(), expected.nodes);
  check("edges (both directions counted)", adjacency.entries(), expected.edges);
  check("classes", static_cast<Index>(classes->names.size()), expected.classes);
  return result;
}

}  // namespace stkr
