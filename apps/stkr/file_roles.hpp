#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stkr/dataset/load_dataset.hpp"

namespace stkr::app {

// The files of one command, each with the option that names it: no output may replace an input or
// another output, however their paths are spelled. A path that is empty is no file.
class FileRoles {
 public:
  void reads(std::string_view option, const std::string& path);
  // INPUT and what the options of loading name. An array's or a column's name is no file.
  void reads_dataset(const std::string& input, const LoadOptions& load);

  void writes(std::string_view option, const std::string& path);       // a file, a pipe or a device
  void writes_file(std::string_view option, const std::string& path);  // replaced as a whole
  // By its extension a file, or what text can stream into. Throws ValueError where it says nothing.
  void writes_dataset(std::string_view option, const std::string& path);
  void appends(std::string_view option, const std::string& path);  // stays where it is

  // Throws CLI::ValidationError where two files are one, and WriteError where an output cannot be
  // written: before hours of work, not after.
  void check() const;

 private:
  enum class Role { input, output, output_file, appended };
  struct File {
    std::string option;
    std::string path;
    Role role;
  };
  void add(std::string_view option, const std::string& path, Role role);

  std::vector<File> files_;
};

}  // namespace stkr::app
