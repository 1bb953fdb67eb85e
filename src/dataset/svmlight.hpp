#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr {

namespace detail {
class LineReader;
}

// Reads the lines "label index:value ..." one by one.
class SvmlightReader {
 public:
  explicit SvmlightReader(const std::filesystem::path& path);
  ~SvmlightReader();

  bool next();                                                       // false at the end
  const std::string& label() const { return label_; }                // as written
  const std::vector<std::int32_t>& index() const { return index_; }  // as written, ascending
  const std::vector<double>& value() const { return value_; }
  bool zero_based() const { return zero_based_; }         // an index 0 occurred so far
  double progress() const;                                // fraction of the file read, 0 to 1
  [[noreturn]] void fail(const std::string& what) const;  // throws DataError with this line

 private:
  std::unique_ptr<detail::LineReader> lines_;
  std::string label_;
  std::vector<std::int32_t> index_;
  std::vector<double> value_;
  bool zero_based_ = false;
};

// Lines "label index:value index:value ... # comment". Indices increase within a line and start at
// 1, unless a 0 occurs somewhere in the file. A qid is ignored.
struct SvmlightData {
  CsrMatrix points;                // as many columns as the largest index needs
  std::vector<std::string> label;  // as written, one per line
  int first_index = 1;
};

// Throws DataError with the line.
SvmlightData load_svmlight(const std::filesystem::path& path);

// Writes unlabeled samples as class -1 or target nan. Throws ValueError for labels that the format
// cannot store: classes that are not integers, class -1 together with unlabeled samples, several
// targets.
void save_svmlight(const std::filesystem::path& path, const FeatureMatrix& points,
                   const Labels& labels);

}  // namespace stkr
