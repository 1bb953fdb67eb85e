#include "selection_pages.hpp"

#include <fmt/format.h>

#include "repeat_command.hpp"
#include "report/selection_page.hpp"

namespace stkr::app {

void add_fit_page(const ChosenFit& chosen, SelectionReport& report) {
  const Selection& first = report.result.selections.front().second;
  const report::FitRecord record{.summary = chosen.fitted.summary,
                                 .choices = chosen.fitted.choices,
                                 .reach = chosen.reach,
                                 .diagnostics = {},
                                 .spec = report.result.specification(first, *first.best()),
                                 .tried = {},
                                 .scored_by = {}};
  report.fit_page = report::fit_page({.data = report.data,
                                      .model = chosen.model,
                                      .record = record,
                                      .labels = chosen.labels,
                                      .truth = chosen.truth,
                                      .features = chosen.features,
                                      .picture = chosen.picture});
  report.fit_page->warnings.clear();  // they are in the selection's
}

void write_selection_page(const SelectArguments& arguments, const CLI::App& command,
                          SelectionReport& report) {
  report::Facts repeat{{"Command", typed_command(command)}};
  const Selection& first = report.result.selections.front().second;
  if (const auto best = first.best()) {
    repeat.emplace_back("Fit it with", fit_command(report, first, first.scores[*best]));
  }
  if (!report.model.empty()) repeat.emplace_back("Model", report.model);
  repeat.emplace_back("Seed", fmt::format("{}", report.seed));
  report::RunPage page = report::selection_page(
      {.data = report.data,
       .name = report.name,
       .result = report.result,
       .points = first.kernels.size() * report.ways * grid_points(report.result.grid).size(),
       .seed = report.seed,
       .repeat = std::move(repeat)});
  if (report.fit_page) page = joined(std::move(page), std::move(*report.fit_page));
  write_page(arguments.html, page);
  report.page = arguments.html.file;
}

}  // namespace stkr::app
