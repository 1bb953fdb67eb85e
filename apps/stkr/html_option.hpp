#pragma once

#include <optional>
#include <string>

#include "report/run_page.hpp"
#include "stkr/dataset/dataset.hpp"

namespace CLI {
class App;
}

namespace stkr::app {

// --html FILE: a page about the run; --image HxW: samples are shown as pictures.
struct HtmlOption {
  std::string file;
  std::string image;

  bool given() const { return !file.empty(); }
};
void add_html_option(CLI::App& command, HtmlOption& option);

// The shape of --image. Throws CLI::ValidationError for a wrong one, or without --html.
std::optional<report::PictureShape> picture_of(const HtmlOption& option);
// Throws CLI::ValidationError unless a sample with that many features is such a picture.
void check_image(const std::optional<report::PictureShape>& picture, Index features);

// The points that are shown as pictures; empty without a shape. Throws CLI::ValidationError unless
// the samples are dense points of that shape.
SharedMatrix pictured_points(const std::optional<report::PictureShape>& picture,
                             const Dataset& dataset);

// The command as it was typed, with its options in their usual order.
std::string typed_command(const CLI::App& command);

// Writes the page, completely or not at all.
void write_page(const HtmlOption& option, const report::RunPage& page);

}  // namespace stkr::app
