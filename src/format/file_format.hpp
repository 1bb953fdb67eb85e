#pragma once

#include <filesystem>
#include <string_view>

namespace stkr {

enum class FileFormat { npz, npy, matrix_market, edge_list, csv, svmlight };
std::string_view format_name(FileFormat format);

// Detects the format by the first bytes if they identify it (npz, npy, Matrix Market), else by the
// extension: .csv; .tsv, .txt, .edges, .edgelist, .el for edge lists; .svm, .svmlight, .libsvm.
// Throws DataError for a file that is missing, empty, or in another format, with a hint for common
// ones (gzip, HDF5, pickle, MATLAB, Parquet).
FileFormat detect_format(const std::filesystem::path& path);

// Format of an output file, by its extension. Throws ValueError for an unknown extension.
FileFormat format_for_writing(const std::filesystem::path& path);

}  // namespace stkr
