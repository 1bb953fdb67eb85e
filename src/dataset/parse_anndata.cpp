#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "dataset/anndata.hpp"
#include "format/csr_parts.hpp"
#include "format/csv_records.hpp"
#include "format/utf8.hpp"
#include "parsed.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

bool are_unique(const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  return std::all_of(names.begin(), names.end(),
                     [&](const std::string& name) { return seen.insert(name).second; });
}

void take_obs_labels(const AnnDataFile& file, const LoadOptions& options, Parsed& parsed) {
  parsed.candidates = file.columns();
  const int column = find_label_column(parsed.candidates, options.labels);
  if (column < 0) return;
  const std::string& name = parsed.candidates[static_cast<std::size_t>(column)];
  parsed.has_labels = true;
  take_labels(file.column(name), std::span(&name, 1), options,
              fmt::format("{}: obs/{}", file.shown_path(), printable(name)), parsed);
}

// Features of the nodes, if the options name a key of obsm.
std::optional<Points> named_features(const AnnDataFile& file, const LoadOptions& options) {
  std::error_code absent;
  if (options.features_file.empty() || std::filesystem::exists(options.features_file, absent)) {
    return std::nullopt;
  }
  const AnnDataFile::Place place =
      file.place({.kind = DatasetKind::points, .key = options.features_file});
  return anndata_points(file, place);
}

}  // namespace

Parsed parse_anndata(const std::filesystem::path& path, const LoadOptions& options) {
  const AnnDataFile file(path);
  const AnnDataFile::Place place = file.place(options);
  Parsed parsed;
  take_obs_labels(file, options, parsed);
  std::vector<std::string> names = file.names();
  if (!are_unique(names)) {
    parsed.notes.emplace_back("the names of the cells (obs) are not unique, so they are left out");
    names.clear();
  }
  if (place.kind == DatasetKind::graph) {
    CsrMatrix matrix = file.sparse(place);
    parsed.samples =
        Graph{.adjacency = checked_adjacency(std::move(matrix), options.symmetrize,
                                             fmt::format("{}: {}", path.string(), place.path)),
              .node_names = std::move(names)};
    if (auto features = named_features(file, options)) {
      parsed.features = std::move(*features);
      parsed.has_features = true;
    }
  } else {
    parsed.samples = anndata_points(file, place);
    parsed.ids = std::move(names);
    parsed.id_column = "cell";
  }
  parsed.notes.insert(parsed.notes.begin(), fmt::format("reads {}", place.path));
  return parsed;
}

}  // namespace stkr::detail
