#include "graph_report.hpp"

#include <fmt/format.h>

#include "console.hpp"
#include "runtime/memory.hpp"
#include "standard_streams.hpp"

namespace stkr::app {

nlohmann::json graph_json(const GraphReport& report, nlohmann::json graph) {
  nlohmann::json document{{"output", report.output},
                          {"k", report.options.k},
                          {"edge_weight", to_string(report.options.weight)},
                          {"edges", to_string(report.options.rule)},
                          {"recall", report.recall},
                          {"equal_points", report.copies},
                          {"seconds", report.seconds},
                          {"planned_bytes", report.planned},
                          {"graph", std::move(graph)}};
  if (report.options.weight == EdgeWeight::heat) document["length_scale"] = report.length_scale;
  return document;
}

void print_graph_report(const GraphReport& report,
                        std::vector<std::pair<std::string, std::string>> statistics) {
  const NeighborGraphOptions& options = report.options;
  std::vector<std::pair<std::string, std::string>> fields{
      {"data", report.data},
      {"neighbors",
       fmt::format("{}, {}, {:.2f} s", options.k,
                   report.approximate ? fmt::format("{:.1f}% of the true ones (on a sample)",
                                                    100.0 * report.recall)
                                      : "exact",
                   report.seconds)},
      {"edges", fmt::format("{}, {} weights{}", to_string(options.rule), to_string(options.weight),
                            options.weight == EdgeWeight::heat
                                ? fmt::format(", length scale {:.6g}", report.length_scale)
                                : "")}};
  if (report.copies > 0) {
    fields.emplace_back("equal points", fmt::format("{}: each is joined to its first copy",
                                                    with_commas(report.copies)));
  }
  for (auto& field : statistics) fields.push_back(std::move(field));
  fields.emplace_back("memory", fmt::format("about {} of {}", format_bytes(report.planned),
                                            format_bytes(report.memory)));
  fields.emplace_back("written", report.output);
  print_report(report.output, format_fields(fields));
}

}  // namespace stkr::app
