#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli.hpp"

namespace stkr::app {

// Help texts: descriptions are wrapped at the line width, and --help shows only the options that a
// command lists as the first ones to know; --help-all shows all.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  void show_first(const CLI::App* command, const std::vector<std::string>& options);

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  std::string first_groups(const CLI::App* app) const;

  std::map<const CLI::App*, std::set<const CLI::Option*>> first_;
};

// For a command whose formatter is a HelpFormatter; others show all options. Commands that do not
// call this show all, too.
void show_first(CLI::App& command, const std::vector<std::string>& options);

}  // namespace stkr::app
