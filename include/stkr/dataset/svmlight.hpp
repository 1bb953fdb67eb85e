#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "stkr/dataset/labels.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// Lines "label index:value index:value ... # comment". Indices increase within a line and start at
// 1, unless a 0 occurs somewhere in the file. A qid is ignored.
struct SvmlightData {
  CsrMatrix points;                // as many columns as the largest index needs
  std::vector<std::string> label;  // as written, one per line
};

// Throws DataError with the line.
SvmlightData load_svmlight(const std::filesystem::path& path);

// Unlabelled samples are written as class -1 or target nan. Throws ValueError for labels the format
// cannot carry: classes that are no integers, class -1 beside unlabelled samples, several targets.
void save_svmlight(const std::filesystem::path& path, ConstMatrixRef points, const Labels& labels);

}  // namespace stkr
