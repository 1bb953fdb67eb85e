#pragma once

#include <string>
#include <string_view>

namespace stkr::app {

// Whether gnuplot is in the PATH.
bool gnuplot_available();

// Runs gnuplot on the script and returns its output. Runs it as a child process without a shell and
// without the user's gnuplot settings. Throws WriteError with gnuplot's message if it fails, or
// with what to install if it is missing.
std::string run_gnuplot(const std::string& script);

// Quotes text as a gnuplot string. For tick labels, in which gnuplot interprets %g as a format, use
// gnuplot_tick.
std::string gnuplot_text(std::string_view text);
std::string gnuplot_tick(std::string_view text);

// A number for inline data; values that are not finite are missing.
std::string gnuplot_number(double value);

// The color that inline_svg replaces by the surrounding text color.
inline constexpr const char* kInk = "#010203";

// Terminal, font and axis colors shared by all pictures; plots nothing yet.
std::string gnuplot_preamble(int width, int height, std::string_view title,
                             std::string_view x_label, std::string_view y_label);

}  // namespace stkr::app
