#include "format/file_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <optional>
#include <string>

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
};

struct Magic {
  std::string_view bytes;
  std::string_view meaning;
};
using namespace std::string_view_literals;
constexpr std::array kForeign = {
    Magic{"\x1f\x8b"sv, "compressed by gzip; decompress it first"},
    Magic{"BZh"sv, "compressed by bzip2; decompress it first"},
    Magic{"\xfd"
          "7zXZ"sv,
          "compressed by xz; decompress it first"},
    Magic{"\x28\xb5\x2f\xfd"sv, "compressed by zstd; decompress it first"},
    Magic{"\x89HDF"sv, "an HDF5 file; export the arrays with numpy.savez"},
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

constexpr std::string_view kKnown = ".npz, .npy, .mtx, .csv, .tsv or .edges (edge list), .svmlight";

std::optional<FileFormat> by_extension(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Extension& known : kExtensions) {
    if (known.text == extension) return known.format;
  }
  return std::nullopt;
}

}  // namespace

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
  }
  return "unknown";
}

FileFormat detect_format(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", path.string(), what));
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) fail("is a folder; give the path of a file");
  std::ifstream in(path, std::ios::binary);
  if (!in) fail("cannot be opened; check the path and the permissions");
  std::string start(512, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (start.empty()) fail("is empty");
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return FileFormat::npz;
  if (start.starts_with("\x93NUMPY")) return FileFormat::npy;
  if (start.starts_with("%%MatrixMarket")) return FileFormat::matrix_market;
  for (const Magic& foreign : kForeign) {
    if (start.starts_with(foreign.bytes)) fail(fmt::format("is {}", foreign.meaning));
  }
  const std::optional<FileFormat> format = by_extension(path);
  if (!format) {
    fail(fmt::format("has an unknown extension; rename it to one of {}", kKnown));
  }
  if (*format == FileFormat::npz || *format == FileFormat::npy ||
      *format == FileFormat::matrix_market) {
    fail(
        fmt::format("does not start like a file of format {}; it is damaged, or has another "
                    "format: rename it to one of {}",
                    format_name(*format), kKnown));
  }
  if (start.find('\0') != std::string::npos) {
    fail(fmt::format("contains binary data, expected text of format {}", format_name(*format)));
  }
  return *format;
}

FileFormat format_for_writing(const std::filesystem::path& path) {
  if (const auto format = by_extension(path)) return *format;
  throw ValueError(fmt::format("{}: the extension does not determine the format; use one of {}",
                               path.string(), kKnown));
}

}  // namespace stkr
