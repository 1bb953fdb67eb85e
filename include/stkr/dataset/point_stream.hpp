#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr {

// The points of a file, in order, a few at a time: memory does not grow with their number.
class PointStream {
 public:
  explicit PointStream(std::string where) : where_(std::move(where)) {}
  virtual ~PointStream() = default;

  virtual Index features() const = 0;
  virtual double progress() const = 0;  // the share of the file that was read, 0 to 1
  const std::vector<std::string>& feature_names() const { return feature_names_; }  // may be empty
  const std::vector<std::string>& notes() const { return notes_; }
  const std::string& where() const { return where_; }  // starts the messages

  // At most `most` further points as rows, none at the end. Throws DataError with the place for
  // what is no finite number, and for a file without points.
  Matrix next(Index most);

 protected:
  virtual Matrix read(Index most) = 0;

  std::vector<std::string> feature_names_;
  std::vector<std::string> notes_;

 private:
  std::string where_;
  Index done_ = 0;
};

// In any format that load_dataset reads points from; labels are ignored. Matrix Market files,
// arrays in Fortran order, and svmlight files where LoadOptions::features does not tell their width
// are held whole.
std::unique_ptr<PointStream> open_points(const std::filesystem::path& path,
                                         const LoadOptions& options = {});

// All of them.
Points load_points(const std::filesystem::path& path, const LoadOptions& options = {});

// As many points as may be held at a time: a few thousand, fewer where they are long.
Index points_at_a_time(Index features);

// Where each of the `expected` features is in a file: its columns may come in another order.
// Nothing where they come in the same, or where names are missing on either side. Throws DataError
// for another number of features, and names those that are missing or not expected.
std::vector<Index> feature_order(Index expected, std::span<const std::string> expected_names,
                                 const PointStream& found);

}  // namespace stkr
