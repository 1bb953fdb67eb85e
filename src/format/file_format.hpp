#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stkr {

enum class FileFormat { npz, npy, matrix_market, edge_list, csv, svmlight, graphml, h5ad, parts };
std::string_view format_name(FileFormat format);

// Detects the format by the first bytes if they identify it (npz, npy, Matrix Market, GraphML,
// HDF5), else by the extension: .csv; .tsv, .txt, .edges, .edgelist, .el for edge lists; .svm,
// .svmlight, .libsvm. A folder of parts (graph_parts.hpp) is a format, too. `given` replaces the
// extension. Text may be compressed by gzip, whether or not the name ends in .gz. Throws DataError
// for a file that is missing, empty, or in another format, with a hint for common ones (pickle,
// MATLAB, Parquet, GEXF).
FileFormat detect_format(const std::filesystem::path& path, std::optional<FileFormat> given = {});

// Format of an output file, by its extension. Throws ParameterError for an unknown extension.
FileFormat format_for_writing(const std::filesystem::path& path);

// The format that files with this extension have: "csv", "svmlight". Throws ParameterError for an
// unknown one.
FileFormat format_from_name(const std::string& extension);
// The path without .gz, if it ends so: its extension is that of the text.
std::filesystem::path without_gz(const std::filesystem::path& path);

}  // namespace stkr
