#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// The files of one command, each with the option that names it: no output may replace an input or
// another output, however the paths are spelled. Empty paths are ignored.
class FileRoles {
 public:
  void reads(std::string_view option, const std::string& path);
  // INPUT and the files that the load options name. Names of arrays and columns are not files.
  void reads_dataset(const std::string& input, const LoadOptions& load);

  void writes(std::string_view option, const std::string& path);       // a file, a pipe or a device
  void writes_file(std::string_view option, const std::string& path);  // replaced completely
  // A model, which is an .npz archive: not standard output, nor the extension of another format.
  void writes_model(std::string_view option, const std::string& path);
  // A file or a stream, by its extension unless a format is given. Throws ParameterError for an
  // unknown extension, CLI::ValidationError for binary output to a terminal.
  void writes_dataset(std::string_view option, const std::string& path,
                      const std::string& format = {});
  void appends(std::string_view option, const std::string& path);  // not replaced

  // Throws CLI::ValidationError if two files are the same or a model has the name of something
  // else, and WriteError if an output cannot be written, before any work starts.
  void check() const;

 private:
  enum class Role { input, output, output_file, model, appended };
  struct File {
    std::string option;
    std::string path;
    Role role;
  };
  void add(std::string_view option, const std::string& path, Role role);

  std::vector<File> files_;
};

}  // namespace stkr::app
