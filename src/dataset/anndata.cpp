#include "dataset/anndata.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/csr_parts.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr const char* kCategories = "__categories";  // of anndata 0.7

std::string listing(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : printable(fmt::format("{}", fmt::join(names, ", ")));
}

}  // namespace

void AnnDataFile::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: {}", shown_path(), what));
}

AnnDataFile::AnnDataFile(const std::filesystem::path& path) : file_(path) {
  if (!file_.has("obs")) {
    fail(fmt::format("is an HDF5 file without obs, expected AnnData (.h5ad); it has {}",
                     listing(file_.members(""))));
  }
  if (!file_.is_group("obs")) {
    fail("obs has the form of anndata before 0.7; read it with a newer anndata and write it again");
  }
  index_ = file_.text_attribute("obs", "_index").value_or("_index");
  if (!file_.has("obs/" + index_)) {
    fail(fmt::format("obs has no index '{}', which names the cells", printable(index_)));
  }
  const std::vector<Index> length = file_.shape("obs/" + index_);
  if (length.size() != 1 || length[0] < 1) fail("obs has no cells");
  size_ = length[0];
  if (size_ > std::numeric_limits<std::int32_t>::max()) fail("obs has more than 2^31 cells");
  columns_ = file_.texts_attribute("obs", "column-order");
  if (!columns_.empty()) return;
  columns_ = file_.members("obs");
  std::erase_if(columns_,
                [&](const std::string& name) { return name == index_ || name == kCategories; });
}

// Numbers and texts as text; NaN is empty.
std::vector<std::string> AnnDataFile::values(const std::string& dataset) const {
  using Type = detail::Hdf5File::Type;
  std::vector<std::string> cells;
  switch (file_.type(dataset)) {
    case Type::text:
      return file_.texts(dataset);
    case Type::integer:
      for (const std::int64_t value : file_.values<std::int64_t>(dataset)) {
        cells.push_back(std::to_string(value));
      }
      break;
    case Type::boolean:
      for (const std::int32_t value : file_.values<std::int32_t>(dataset)) {
        cells.emplace_back(value != 0 ? "True" : "False");
      }
      break;
    case Type::floating:
      for (const double value : file_.values<double>(dataset)) {
        cells.push_back(std::isnan(value) ? "" : detail::number_text(value));
      }
      break;
    case Type::other:
      fail(fmt::format("{}: expected numbers or text", printable(dataset)));
  }
  return cells;
}

std::vector<std::string> AnnDataFile::names() const { return values("obs/" + index_); }

std::vector<std::string> AnnDataFile::column(const std::string& name) const {
  const std::string path = "obs/" + name;
  if (!file_.has(path)) {
    fail(fmt::format("obs has no column '{}'; it has {}{}", printable(name), listing(columns_),
                     suggestion(name, columns_)));
  }
  std::vector<std::string> cells;
  std::string codes = path, categories = fmt::format("obs/{}/{}", kCategories, name);
  if (file_.is_group(path)) {
    codes = path + "/codes";
    categories = path + "/categories";
  }
  if (file_.has(codes) && file_.has(categories)) {
    const std::vector<std::string> texts = values(categories);
    for (const std::int64_t code : file_.values<std::int64_t>(codes)) {
      if (code < -1 || code >= static_cast<std::int64_t>(texts.size())) {
        fail(fmt::format("{}: code {} is out of range for {} categories", printable(path), code,
                         texts.size()));
      }
      cells.push_back(code < 0 ? "" : texts[static_cast<std::size_t>(code)]);
    }
  } else if (file_.has(path + "/values") && file_.has(path + "/mask")) {  // nullable values
    cells = values(path + "/values");
    const std::vector<std::int32_t> missing = file_.values<std::int32_t>(path + "/mask");
    for (std::size_t i = 0; i < std::min(cells.size(), missing.size()); ++i) {
      if (missing[i] != 0) cells[i].clear();
    }
  } else if (file_.is_group(path)) {
    fail(fmt::format("{}: has the encoding '{}', expected a categorical, text or numbers",
                     printable(path), file_.text_attribute(path, "encoding-type").value_or("?")));
  } else {
    cells = values(path);
  }
  if (static_cast<Index>(cells.size()) != size_) {
    fail(fmt::format("{}: has {} values for {} cells", printable(path), cells.size(), size_));
  }
  return cells;
}

std::string AnnDataFile::listed(const char* group) const {
  return fmt::format("{} has {}", group, listing(file_.members(group)));
}

AnnDataFile::Place AnnDataFile::place(const LoadOptions& options) const {
  const auto graph = [&](const std::string& key) { return file_.has("obsp/" + key); };
  const auto points = [&](const std::string& key) {
    return key == "X" ? file_.has("X") : file_.has("obsm/" + key);
  };
  const auto found = [](DatasetKind kind, const std::string& key) {
    const char* group = kind == DatasetKind::graph ? "obsp/" : key == "X" ? "" : "obsm/";
    return Place{.kind = kind, .path = group + key};
  };
  if (options.kind == DatasetKind::kernel) fail("contains cells, expected data of kind kernel");
  const bool may_be_graph = options.kind.value_or(DatasetKind::graph) == DatasetKind::graph;
  const bool may_be_points = options.kind.value_or(DatasetKind::points) == DatasetKind::points;
  const std::string graph_key = options.key.empty() ? "connectivities" : options.key;
  const std::string points_key = options.key.empty() ? "X_pca" : options.key;
  const bool is_graph = may_be_graph && graph(graph_key);
  const bool is_points = may_be_points && points(points_key);
  if (is_graph && is_points && !options.key.empty()) {
    fail(fmt::format("both obsp and obsm have '{}'; choose with --kind graph or points",
                     printable(options.key)));
  }
  if (is_graph) return found(DatasetKind::graph, graph_key);
  if (is_points) return found(DatasetKind::points, points_key);
  std::vector<std::string> keys;
  if (may_be_graph) keys = file_.members("obsp");
  if (may_be_points) {
    for (std::string& key : file_.members("obsm")) keys.push_back(std::move(key));
  }
  const std::string wanted =
      may_be_graph && may_be_points && options.key.empty() ? "obsp/connectivities or obsm/X_pca"
      : may_be_graph && may_be_points ? fmt::format("'{}' in obsp or obsm", printable(options.key))
      : may_be_graph                  ? "obsp/" + printable(graph_key)
                                      : "obsm/" + printable(points_key);
  fail(fmt::format("has no {}; {}{}{}{}; choose one with --key", wanted,
                   may_be_graph ? listed("obsp") : "", may_be_graph && may_be_points ? ", " : "",
                   may_be_points ? listed("obsm") : "",
                   options.key.empty() ? "" : suggestion(options.key, keys)));
}

// Rows and columns; those of a sparse matrix are an attribute.
std::vector<Index> AnnDataFile::shape(const std::string& path) const {
  std::vector<Index> found;
  if (file_.is_group(path)) {
    for (const char* name : {"shape", "h5sparse_shape"}) {
      const auto sizes = file_.integers_attribute(path, name);
      if (found.empty()) found.assign(sizes.begin(), sizes.end());
    }
    if (found.size() != 2 || !file_.has(path + "/indptr")) {
      fail(fmt::format("{}: has the encoding '{}', expected an array or a sparse matrix",
                       printable(path), file_.text_attribute(path, "encoding-type").value_or("?")));
    }
  } else {
    found = file_.shape(path);
  }
  constexpr Index kMost = std::numeric_limits<std::int32_t>::max();
  if (found.size() != 2 || found[0] != size_ || found[1] < 0 || found[1] > kMost) {
    fail(fmt::format("{}: is {}, expected one row for each of {} cells", printable(path),
                     fmt::join(found, " × "), size_));
  }
  return found;
}

Index AnnDataFile::features(const Place& place) const { return shape(place.path)[1]; }

bool AnnDataFile::is_sparse(const Place& place) const { return file_.is_group(place.path); }

Index AnnDataFile::entries(const Place& place) const {
  if (!is_sparse(place)) return 0;
  const std::vector<Index> found = file_.shape(place.path + "/indices");
  return found.empty() ? 0 : found[0];
}

CsrMatrix AnnDataFile::sparse(const Place& place) const {
  const std::vector<Index> sizes = shape(place.path);
  if (!is_sparse(place)) {
    fail(fmt::format("{}: is a dense array, expected a sparse matrix", printable(place.path)));
  }
  std::string format = file_.text_attribute(place.path, "encoding-type").value_or("");
  if (format.empty()) format = file_.text_attribute(place.path, "h5sparse_format").value_or("csr");
  const bool by_column = format.starts_with("csc");
  if (!by_column && !format.starts_with("csr")) {
    fail(fmt::format("{}: has the encoding '{}', expected csr_matrix", printable(place.path),
                     printable(format)));
  }
  CsrMatrix matrix;
  matrix.rows = by_column ? sizes[1] : sizes[0];
  matrix.cols = by_column ? sizes[0] : sizes[1];
  matrix.row_start = file_.values<std::int64_t>(place.path + "/indptr");
  matrix.column = file_.values<std::int32_t>(place.path + "/indices");
  matrix.value = file_.values<double>(place.path + "/data");
  detail::check_csr_structure(matrix, fmt::format("{}: {}", shown_path(), place.path));
  return by_column ? transpose(detail::canonical(std::move(matrix))) : std::move(matrix);
}

Matrix AnnDataFile::dense_rows(const Place& place, Index first, Index count) const {
  return file_.rows(place.path, first, count);
}

std::vector<std::string> AnnDataFile::feature_names(const Place& place) const {
  if (place.path != "X" || !file_.has("var") || !file_.is_group("var")) return {};
  const std::string index = file_.text_attribute("var", "_index").value_or("_index");
  if (!file_.has("var/" + index)) return {};
  std::vector<std::string> names = values("var/" + index);
  if (static_cast<Index>(names.size()) != features(place)) return {};
  return names;
}

Points anndata_points(const AnnDataFile& file, const AnnDataFile::Place& place) {
  const std::string where = fmt::format("{}: {}", file.shown_path(), place.path);
  std::vector<std::string> names = file.feature_names(place);
  if (file.is_sparse(place)) {
    return {.values = checked_sparse_features(file.sparse(place), where),
            .feature_names = std::move(names)};
  }
  Matrix values = file.dense_rows(place, 0, file.size());
  check_points(values, where);
  return {.values = std::move(values), .feature_names = std::move(names)};
}

}  // namespace stkr
