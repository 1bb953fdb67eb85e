#pragma once

#include <string>
#include <string_view>

namespace stkr::app {

// Whether there is a gnuplot in the PATH.
bool gnuplot_available();

// What gnuplot prints when it reads the script. Runs as a child process without a shell and without
// the user's own gnuplot settings. Throws WriteError, with gnuplot's own words, where it fails, and
// with what to install where there is none.
std::string run_gnuplot(const std::string& script);

// Text as a gnuplot string that means just this text, quotes included. For tick labels, where
// gnuplot would take %g for a format, use gnuplot_tick.
std::string gnuplot_text(std::string_view text);
std::string gnuplot_tick(std::string_view text);

// A number for inline data; what is not finite is missing.
std::string gnuplot_number(double value);

// The color that inline_svg replaces by that of the text around the picture.
inline constexpr const char* kInk = "#010203";

// Terminal, font and colors of axes that all our pictures share; nothing is plotted yet.
std::string gnuplot_preamble(int width, int height, std::string_view title,
                             std::string_view x_label, std::string_view y_label);

}  // namespace stkr::app
