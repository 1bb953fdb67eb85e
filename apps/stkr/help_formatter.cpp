#include "help_formatter.hpp"

namespace stkr::app {
namespace {

constexpr std::size_t kNameColumn = 34;
constexpr std::size_t kWidth = 100;

}  // namespace

HelpFormatter::HelpFormatter() { column_width(kNameColumn); }

void HelpFormatter::show_first(const CLI::App* command, const std::vector<std::string>& options) {
  std::set<const CLI::Option*>& first = first_[command];
  for (const std::string& name : options) first.insert(command->get_option(name));
  for (const CLI::Option* help : {command->get_help_ptr(), command->get_help_all_ptr()}) {
    first.insert(help);
  }
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  if (mode != CLI::AppFormatMode::Normal || !first_.contains(app)) {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != std::string::npos;) text.erase(at, 1);
    return text;
  }
  return make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
         first_groups(app) + make_subcommands(app, mode) + "\n" + make_footer(app);
}

std::string HelpFormatter::first_groups(const CLI::App* app) const {
  const auto known = first_.find(app);
  const auto shown = [&](const CLI::Option* option) {
    return option->nonpositional() && known->second.contains(option);
  };
  std::string text;
  for (const std::string& group : app->get_groups()) {
    const std::vector<const CLI::Option*> options = app->get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && shown(option); });
    if (!group.empty() && !options.empty()) text += make_group(group, false, options);
  }
  const auto hidden = app->get_options([&](const CLI::Option* option) {
    return option->nonpositional() && !option->get_group().empty() && !shown(option);
  });
  if (hidden.empty()) return text;
  return text + "\n" + std::to_string(hidden.size()) + " more options: --help-all\n";
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  std::string lines, line;
  for (const std::string& word : CLI::detail::split(option->get_description(), ' ')) {
    if (!line.empty() && line.size() + 1 + word.size() > kWidth - kNameColumn) {
      lines += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + line;
}

void show_first(CLI::App& command, const std::vector<std::string>& options) {
  const auto formatter = std::dynamic_pointer_cast<HelpFormatter>(command.get_formatter());
  if (formatter) formatter->show_first(&command, options);
}

}  // namespace stkr::app
