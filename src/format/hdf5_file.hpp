#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// Reads groups, datasets and attributes of an HDF5 file by their paths, "obs/cell_type". Not for
// several threads at a time: the HDF5 library is not safe for them. All functions throw DataError
// with the file and the path in the message.
class Hdf5File {
 public:
  explicit Hdf5File(const std::filesystem::path& path);
  ~Hdf5File();
  Hdf5File(Hdf5File&&) noexcept;

  const std::string& shown_path() const;
  bool has(const std::string& path) const;                           // a group or a dataset
  bool is_group(const std::string& path) const;                      // false for a dataset
  std::vector<std::string> members(const std::string& group) const;  // empty if there is no group

  enum class Type { integer, floating, boolean, text, other };
  Type type(const std::string& dataset) const;
  // Dimensions of a dataset. Sizes that the file cannot hold are an error.
  std::vector<Index> shape(const std::string& dataset) const;

  // All values of a dataset with one dimension. Numbers are converted; texts are in UTF-8.
  template <class T>  // double, std::int64_t, std::int32_t
  std::vector<T> values(const std::string& dataset) const;
  std::vector<std::string> texts(const std::string& dataset) const;
  // Rows [first, first + count) of a numeric dataset with two dimensions.
  Matrix rows(const std::string& dataset, Index first, Index count) const;

  // Attributes of a group or a dataset ("" is the file); nothing if there is none of that kind.
  std::optional<std::string> text_attribute(const std::string& path, const char* name) const;
  std::vector<std::string> texts_attribute(const std::string& path, const char* name) const;
  std::vector<std::int64_t> integers_attribute(const std::string& path, const char* name) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace stkr::detail
