#pragma once

#include <filesystem>
#include <string_view>

namespace stkr {

enum class FileFormat { npz, npy, matrix_market, edge_list, csv, svmlight };
std::string_view format_name(FileFormat format);

// By the first bytes where they tell (npz, npy, Matrix Market), else by the extension: .csv; .tsv,
// .txt, .edges, .edgelist, .el for edge lists; .svm, .svmlight, .libsvm. Throws DataError for a
// file that is missing, empty, or of another kind, with a hint for the usual ones (gzip, HDF5,
// pickle, MATLAB, Parquet).
FileFormat detect_format(const std::filesystem::path& path);

// By the extension alone, for a file to be written. Throws ValueError where it says nothing.
FileFormat format_for_writing(const std::filesystem::path& path);

}  // namespace stkr
