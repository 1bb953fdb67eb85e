#include "format/file_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <vector>

#include "byte_source.hpp"
#include "graph_parts.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

struct Extension {
  std::string_view text;
  FileFormat format;
};
constexpr std::array kExtensions = {
    Extension{".npz", FileFormat::npz},
    Extension{".npy", FileFormat::npy},
    Extension{".mtx", FileFormat::matrix_market},
    Extension{".mm", FileFormat::matrix_market},
    Extension{".csv", FileFormat::csv},
    Extension{".tsv", FileFormat::edge_list},
    Extension{".txt", FileFormat::edge_list},
    Extension{".edges", FileFormat::edge_list},
    Extension{".edgelist", FileFormat::edge_list},
    Extension{".el", FileFormat::edge_list},
    Extension{".svm", FileFormat::svmlight},
    Extension{".svmlight", FileFormat::svmlight},
    Extension{".libsvm", FileFormat::svmlight},
    Extension{".graphml", FileFormat::graphml},
    Extension{".h5ad", FileFormat::h5ad},
};

struct Magic {
  std::string_view bytes;
  std::string_view meaning;
};
using namespace std::string_view_literals;
constexpr std::array kForeign = {
    Magic{"BZh"sv, "compressed by bzip2; decompress it first"},
    Magic{"\xfd"
          "7zXZ"sv,
          "compressed by xz; decompress it first"},
    Magic{"\x28\xb5\x2f\xfd"sv, "compressed by zstd; decompress it first"},
    Magic{"PAR1"sv, "a Parquet file; export it as CSV"},
    Magic{"MATLAB 5.0"sv, "a MATLAB file; export the arrays with numpy.savez"},
    Magic{"\x80\x02"sv, "a Python pickle; stkr does not run code from files: use numpy.savez"},
    Magic{"\x80\x03"sv, "a Python pickle; stkr does not run code from files: use numpy.savez"},
    Magic{"\x80\x04"sv, "a Python pickle; stkr does not run code from files: use numpy.savez"},
    Magic{"\x80\x05"sv, "a Python pickle; stkr does not run code from files: use numpy.savez"},
    Magic{"%PDF"sv, "a PDF document"},
    Magic{"\x89PNG"sv, "an image"},
    Magic{"\xff\xd8\xff"sv, "an image"},
    Magic{"\x7f"
          "ELF"sv,
          "a program"},
};

constexpr std::string_view kKnown =
    ".npz, .npy, .mtx, .csv, .tsv or .edges (edge list), .graphml, .h5ad, .svmlight";

std::string lower_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

std::optional<FileFormat> by_extension(const std::filesystem::path& path) {
  const std::string extension = lower_extension(path);
  for (const Extension& known : kExtensions) {
    if (known.text == extension) return known.format;
  }
  return std::nullopt;
}

bool is_xml(std::string_view start) {
  if (start.starts_with("\xef\xbb\xbf")) start.remove_prefix(3);
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  return start.starts_with("<?xml") || start.starts_with("<graphml") || start.starts_with("<!--");
}

// The format that the first bytes identify.
std::optional<FileFormat> by_start(std::string_view start) {
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return FileFormat::npz;
  if (start.starts_with("\x93NUMPY")) return FileFormat::npy;
  if (start.starts_with("%%MatrixMarket")) return FileFormat::matrix_market;
  if (start.starts_with("\x89HDF\r\n\x1a\n")) return FileFormat::h5ad;
  if (is_xml(start) && start.find("<graphml") != std::string::npos) return FileFormat::graphml;
  return std::nullopt;
}

}  // namespace

std::filesystem::path without_gz(const std::filesystem::path& path) {
  return lower_extension(path) == ".gz" ? std::filesystem::path(path).replace_extension() : path;
}

std::string_view format_name(FileFormat format) {
  switch (format) {
    case FileFormat::npz:
      return "npz";
    case FileFormat::npy:
      return "npy";
    case FileFormat::matrix_market:
      return "Matrix Market";
    case FileFormat::edge_list:
      return "edge list";
    case FileFormat::csv:
      return "CSV";
    case FileFormat::svmlight:
      return "svmlight";
    case FileFormat::graphml:
      return "GraphML";
    case FileFormat::h5ad:
      return "AnnData (HDF5)";
    case FileFormat::parts:
      return "folder of parts";
  }
  return "unknown";
}

FileFormat detect_format(const std::filesystem::path& path, std::optional<FileFormat> given) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", path.string(), what));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    if (GraphParts::is_folder(path)) return FileFormat::parts;
    fail("is a folder; give the path of a file, or a folder of parts (with parts.json)");
  }
  detail::ByteSource in(path);
  std::string start(512, '\0');
  start.resize(in.read(start.data(), start.size()));
  if (start.empty()) fail("is empty");
  const auto found = by_start(start);
  if (in.compressed() &&
      (found == FileFormat::npz || found == FileFormat::npy || found == FileFormat::h5ad)) {
    fail("is compressed by gzip, which stkr reads only for text; decompress it first");
  }
  if (found) {
    if (given && *given != *found) {
      fail(fmt::format("starts like a file of format {}, but {} was given", format_name(*found),
                       format_name(*given)));
    }
    return *found;
  }
  for (const Magic& foreign : kForeign) {
    if (start.starts_with(foreign.bytes)) fail(fmt::format("is {}", foreign.meaning));
  }
  if (start.find("<gexf") != std::string::npos && is_xml(start)) {
    fail("is a GEXF file; write the graph as GraphML, for example with networkx.write_graphml");
  }
  const std::optional<FileFormat> format = given ? given : by_extension(without_gz(path));
  if (!format && path == "/dev/stdin") {
    fail("standard input has no extension; give its format, as in --format csv");
  }
  if (!format) {
    if (lower_extension(without_gz(path)) == ".gml") {
      fail("is a GML file; write the graph as GraphML, for example with networkx.write_graphml");
    }
    fail(
        fmt::format("has an unknown extension; rename it to one of {}, or give its format, as in "
                    "--format csv",
                    kKnown));
  }
  if (*format == FileFormat::npz || *format == FileFormat::npy ||
      *format == FileFormat::matrix_market || *format == FileFormat::h5ad) {
    fail(
        fmt::format("does not start like a file of format {}; it is damaged, or has another "
                    "format: rename it to one of {}",
                    format_name(*format), kKnown));
  }
  return *format;
}

FileFormat format_for_writing(const std::filesystem::path& path) {
  if (const auto format = by_extension(path)) return *format;
  if (const auto format = by_extension(without_gz(path))) {
    throw ParameterError(
        fmt::format("{}: stkr writes no compressed files; write {} and compress it", path.string(),
                    without_gz(path).string()));
  }
  throw ParameterError(
      fmt::format("{}: the extension does not determine the format; use one of {}, or give the "
                  "format, as in --format csv",
                  path.string(), kKnown));
}

FileFormat format_from_name(const std::string& extension) {
  if (const auto format = by_extension("x." + extension)) return *format;
  std::vector<std::string> names;
  for (const Extension& known : kExtensions) names.emplace_back(known.text.substr(1));
  throw ParameterError(fmt::format("format {}", unknown_name(extension, names)));
}

}  // namespace stkr
