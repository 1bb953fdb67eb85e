#pragma once

#include <string>
#include <vector>

#include "report/heat_map.hpp"
#include "stkr/selection/select_model.hpp"

namespace stkr::report {

using TextRows = std::vector<std::vector<std::string>>;  // the header first

// "validation", "cross-validation" or "leave-one-out"
std::string validation_name(const ModelSelection& result);

bool several_kernels(const Selection& selection);

std::string show_score(double value, Score score);  // "93.20%"
std::string show_ridge(const GridPoint& point);     // "0.01", or "T=8"
const char* ridge_name(const Grid& grid);           // "ridge" or "beta"

// The `most` best points.
TextRows best_points(const ModelSelection& result, const Selection& selection, std::size_t most);
// The best point of each family, or of each kernel, best first.
TextRows best_of_families(const ModelSelection& result, const Selection& selection);
TextRows best_of_kernels(const ModelSelection& result, const Selection& selection);
// What could not be tried, with the reasons: kernels, then parameters of families.
TextRows left_out_rows(const ModelSelection& result, const Selection& selection);

// What broke the tie between the points with the best score.
const char* tie_break(const Selection& selection);

// Scores for the kernel and family of a point: parameters down, ridge or steps across. `data` is
// the beginning of the title, e.g. the name of the data set.
HeatMap score_map(const ModelSelection& result, const Selection& selection, const GridPoint& shown,
                  const std::string& data);

}  // namespace stkr::report
