#include "file_roles.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "cli.hpp"
#include "format/atomic_file.hpp"
#include "format/file_format.hpp"
#include "standard_streams.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
namespace {

// Extensions by which other programs would take a model for something else.
constexpr std::array<std::string_view, 18> kNotModels{
    ".pkl", ".pickle", ".joblib", ".onnx", ".pt",  ".h5",  ".hdf5",     ".h5ad",    ".rds",
    ".npy", ".json",   ".csv",    ".tsv",  ".txt", ".mtx", ".svmlight", ".parquet", ".html"};

// The path that a file that does not exist yet would have.
std::filesystem::path place_of(const std::string& path) {
  std::error_code error;
  const auto place = std::filesystem::weakly_canonical(std::filesystem::absolute(path), error);
  return error ? std::filesystem::path(path).lexically_normal() : place;
}

// Devices and pipes are not replaced, and may be named twice.
bool same_file(const std::string& a, const std::string& b) {
  struct stat first = {}, second = {};
  const bool first_exists = ::stat(a.c_str(), &first) == 0;
  const bool second_exists = ::stat(b.c_str(), &second) == 0;
  if (first_exists != second_exists) return false;
  if (!first_exists) return place_of(a) == place_of(b);
  return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

void check_model_name(const std::string& option, const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  const bool other = std::find(kNotModels.begin(), kNotModels.end(), extension) != kNotModels.end();
  if (path != "-" && !other) return;
  throw CLI::ValidationError(
      option,
      fmt::format("{} given; a model is an .npz file: give a name that ends in .npz", path));
}

}  // namespace

void FileRoles::add(std::string_view option, const std::string& path, Role role) {
  if (!path.empty()) files_.push_back({std::string(option), path, role});
}

void FileRoles::reads(std::string_view option, const std::string& path) {
  std::error_code absent;  // a missing file cannot be replaced
  if (std::filesystem::exists(path, absent)) add(option, path, Role::input);
}

void FileRoles::reads_dataset(const std::string& input, const LoadOptions& load) {
  reads("INPUT", input);
  reads("--labels", load.labels);
  reads("--labeled", load.labeled);
  reads("--labeled", load.labeled.substr(0, load.labeled.rfind('[')));  // index.npy[3]
  reads("--features", load.features_file);
}

void FileRoles::writes(std::string_view option, const std::string& path) {
  add(option, path, Role::output);
}

void FileRoles::writes_file(std::string_view option, const std::string& path) {
  add(option, path, Role::output_file);
}

void FileRoles::writes_model(std::string_view option, const std::string& path) {
  add(option, path, Role::model);
}

void FileRoles::writes_dataset(std::string_view option, const std::string& path,
                               const std::string& format) {
  const FileFormat found = format.empty() ? format_for_writing(path) : format_from_name(format);
  const bool binary = found == FileFormat::npz || found == FileFormat::npy;
  if (binary && is_terminal(path)) {
    throw CLI::ValidationError(std::string(option),
                               fmt::format("{} is binary, and standard output is a terminal; write "
                                           "to a file or a pipe",
                                           format_name(found)));
  }
  add(option, path, Role::output);
}

void FileRoles::appends(std::string_view option, const std::string& path) {
  add(option, path, Role::appended);
}

void FileRoles::check() const {
  for (auto output = files_.begin(); output != files_.end(); ++output) {
    if (output->role == Role::input) continue;
    for (auto other = files_.begin(); other != files_.end(); ++other) {
      const bool input = other->role == Role::input;
      if ((!input && other >= output) || !same_file(output->path, other->path)) continue;
      throw CLI::ValidationError(output->option,
                                 fmt::format("{} is also {} ({}); give another name", output->path,
                                             input ? "an input" : "an output", other->option));
    }
  }
  for (const File& file : files_) {
    if (file.role == Role::input || file.role == Role::appended) continue;
    if (file.role == Role::model) check_model_name(file.option, file.path);
    if (file.role != Role::output || !is_stream(file.path)) const AtomicFile probe(file.path);
  }
}

}  // namespace stkr::app
