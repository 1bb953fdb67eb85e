#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/point_block.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// Reads the points of a file in order, a few at a time: memory does not grow with their number.
class PointStream {
 public:
  explicit PointStream(std::string where) : where_(std::move(where)) {}
  virtual ~PointStream() = default;

  virtual Index features() const = 0;
  virtual double progress() const = 0;  // fraction of the file read, 0 to 1
  const std::vector<std::string>& feature_names() const { return feature_names_; }  // may be empty
  const std::vector<std::string>& notes() const { return notes_; }
  // The names of the samples of the last part, and what they are called; empty if they have none.
  virtual std::span<const std::string> ids() const { return {}; }
  virtual std::string id_column() const { return {}; }
  // On what was read so far.
  virtual std::vector<std::string> warnings() const { return {}; }
  const std::string& where() const { return where_; }  // prefix of messages

  // Returns up to `most` further points as rows, and no rows at the end. Throws DataError, with the
  // place, if a value is not a finite number or if the file has no points.
  PointBlock next(Index most);

  // Number of points to hold at a time.
  virtual Index at_a_time() const;

 protected:
  virtual PointBlock read(Index most) = 0;

  std::vector<std::string> feature_names_;
  std::vector<std::string> notes_;

 private:
  std::string where_;
  Index done_ = 0;
};

// Opens points in any format that load_dataset supports; labels are ignored. With
// LoadOptions::encoding, a table is read like the one that the model was fitted on; values are not
// yet standardized (TableEncoding::standardize). Matrix Market files,
// arrays in Fortran order, and svmlight files without LoadOptions::features are loaded completely.
std::unique_ptr<PointStream> open_points(const std::filesystem::path& path,
                                         const LoadOptions& options = {});

// Returns all points.
Points load_points(const std::filesystem::path& path, const LoadOptions& options = {});

// Number of points to hold at a time: a few thousand, fewer if they have many features.
Index points_at_a_time(Index features);

// Returns the column of each of the `expected` features in a file whose columns may be in another
// order. Empty if the order is the same or if names are missing on either side. Throws DataError
// if the number of features differs, and lists the missing and unexpected features.
std::vector<Index> feature_order(Index expected, std::span<const std::string> expected_names,
                                 const PointStream& found);

}  // namespace stkr
