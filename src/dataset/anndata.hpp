#pragma once

#include <string>
#include <vector>

#include "format/hdf5_file.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// The cells of an AnnData file (.h5ad) in the on-disk format of anndata 0.7 and later. Throws
// DataError with the file and the path in it.
class AnnDataFile {
 public:
  explicit AnnDataFile(const std::filesystem::path& path);

  Index size() const { return size_; }  // number of cells
  const std::string& shown_path() const { return file_.shown_path(); }

  std::vector<std::string> names() const;                               // the index of obs
  const std::vector<std::string>& columns() const { return columns_; }  // of obs
  // A column of obs as text; missing values, such as code -1 of a categorical, are empty.
  std::vector<std::string> column(const std::string& name) const;

  // Where the samples are: the kind and key of the options, else obsp/connectivities, else
  // obsm/X_pca. Lists the keys if there is none.
  struct Place {
    DatasetKind kind = DatasetKind::points;
    std::string path;  // "obsp/connectivities", "obsm/X_pca" or "X"
  };
  Place place(const LoadOptions& options) const;

  bool is_sparse(const Place& place) const;
  Index features(const Place& place) const;  // number of columns
  Index entries(const Place& place) const;   // of a sparse matrix; 0 if it is dense
  CsrMatrix sparse(const Place& place) const;
  Matrix dense_rows(const Place& place, Index first, Index count) const;
  std::vector<std::string> feature_names(const Place& place) const;  // of X; else empty

 private:
  [[noreturn]] void fail(const std::string& what) const;
  std::vector<std::string> values(const std::string& dataset) const;
  std::string listed(const char* group) const;
  std::vector<Index> shape(const std::string& path) const;

  detail::Hdf5File file_;
  std::string index_;
  std::vector<std::string> columns_;
  Index size_ = 0;
};

// The points at that place; a sparse matrix stays sparse.
Points anndata_points(const AnnDataFile& file, const AnnDataFile::Place& place);

}  // namespace stkr
