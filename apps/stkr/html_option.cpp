#include "html_option.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli.hpp"
#include "command.hpp"
#include "format/atomic_file.hpp"
#include "shell_word.hpp"
#include "stkr/error.hpp"

namespace stkr::app {
void add_html_option(CLI::App& command, HtmlOption& option) {
  command
      .add_option("--html", option.file,
                  "Write a page about the run: what was chosen, how good it is, what to doubt")
      ->check(not_empty())
      ->option_text("FILE");
  command
      .add_option("--image", option.image,
                  "With --html: the features of a sample are a picture of HEIGHTxWIDTH (28x28) or "
                  "HEIGHTxWIDTHx3, shown on the page")
      ->option_text("HxW");
}

std::optional<report::PictureShape> picture_of(const HtmlOption& option) {
  if (option.image.empty()) return std::nullopt;
  if (!option.given()) throw CLI::ValidationError("--image", "applies only with --html");
  try {
    return report::picture_shape(option.image);
  } catch (const ValueError& error) {
    throw CLI::ValidationError("--image", error.what());
  }
}

void check_image(const std::optional<report::PictureShape>& picture, Index features) {
  if (!picture || picture->features() == features) return;
  throw CLI::ValidationError(
      "--image", fmt::format("a picture of {}x{}x{} has {} values, but a sample has {} features",
                             picture->height, picture->width, picture->channels,
                             picture->features(), features));
}

SharedMatrix pictured_points(const std::optional<report::PictureShape>& picture,
                             const Dataset& dataset) {
  if (!picture) return {};
  if (dataset.kind() != DatasetKind::points || dataset.points().values.sparse()) {
    throw CLI::ValidationError("--image",
                               fmt::format("needs dense points, and these are {}",
                                           dataset.kind() == DatasetKind::points
                                               ? "sparse"
                                               : fmt::format("a {}", kind_name(dataset.kind()))));
  }
  check_image(picture, dataset.points().values.cols());
  return dataset.points().values.dense();
}

std::string typed_command(const CLI::App& command) {
  std::string positional, options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    if (option->get_positional()) {
      for (const std::string& value : option->results()) positional += " " + shell_word(value);
    } else if (option->get_expected_max() == 0) {
      options += " " + option->get_name();
    } else {
      const std::string values = fmt::format("{}", fmt::join(option->results(), ","));
      options += fmt::format(" {} {}", option->get_name(), shell_word(values));
    }
  }
  return fmt::format("stkr {}{}{}", command.get_name(), positional, options);
}

void write_page(const HtmlOption& option, const report::RunPage& page) {
  const std::string html = report::render_html(page);
  write_atomically(option.file, [&](FileSink& sink) { sink.write(html); });
}

}  // namespace stkr::app
