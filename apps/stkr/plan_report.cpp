#include "plan_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "console.hpp"
#include "runtime/memory.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

std::string describe(const ProblemShape& shape) {
  const std::string size = shape.kind == DatasetKind::points
                               ? fmt::format("{} points x {} features", with_commas(shape.samples),
                                             with_commas(shape.features))
                           : shape.kind == DatasetKind::graph
                               ? fmt::format("graph of {} nodes, {} entries",
                                             with_commas(shape.samples), with_commas(shape.entries))
                               : fmt::format("kernel of {} samples", with_commas(shape.samples));
  return fmt::format("{}, {} labeled, {} output{}", size, with_commas(shape.labeled), shape.outputs,
                     shape.outputs == 1 ? "" : "s");
}

// "12" or "3.4e+09".
std::string amount(double value) {
  return value < 1e6 ? fmt::format("{:.0f}", value) : fmt::format("{:.1e}", value);
}

std::string columns_at_once(const Strategy& strategy, const ProblemShape& shape) {
  const Index outputs = strategy.execution.outputs_at_once;
  return outputs > 0 ? fmt::format("{} of {}", outputs, shape.outputs) : "all";
}

}  // namespace

void print_plan(const PlanReport& report) {
  const Plan& plan = report.plan;
  std::vector<std::vector<std::string>> rows{{"", "strategy", "peak", "while", "samples", "gram",
                                              "blocks", "system", "model", "outputs", "products",
                                              "kernel values"}};
  const bool on_device = plan.device_memory > 0;
  if (on_device) rows.front().insert(rows.front().begin() + 3, "on device");
  for (std::size_t k = 0; k < plan.strategies.size(); ++k) {
    const Strategy& each = plan.strategies[k];
    const MemoryUse& use = each.peak;
    rows.push_back({plan.chosen == k ? "*"
                    : each.fits      ? ""
                                     : "-",
                    each.name, format_bytes(use.total()), use.phase, format_bytes(use.samples),
                    format_bytes(use.gram), format_bytes(use.blocks), format_bytes(use.system),
                    format_bytes(use.model), columns_at_once(each, plan.shape),
                    "<= " + amount(each.work.products), amount(each.work.evaluations)});
    if (on_device) rows.back().insert(rows.back().begin() + 3, format_bytes(each.device));
  }
  std::string allowed = format_bytes(plan.memory) + " allowed";
  if (on_device) allowed += ", " + format_bytes(plan.device_memory) + " free on the device";
  if (report.ranks > 0) allowed += " to each process";
  std::vector<std::pair<std::string, std::string>> fields{
      {"data", report.name + describe(report.shape)}};
  if (report.ranks > 0) {
    fields.emplace_back(
        "processes",
        fmt::format("{}, each with at most {} nodes and {} entries", with_commas(report.ranks),
                    with_commas(plan.shape.samples), with_commas(plan.shape.entries)));
  }
  fields.emplace_back("memory", allowed);
  fields.emplace_back(
      "time", describe(report.time) +
                  (report.ranks > 0 ? " of a process, without the network" : " on this machine"));
  fmt::print("{}\n{}", format_fields(fields), format_table(rows));
  if (plan.chosen) {
    fmt::print("\n* chosen: {}. Strategies marked - do not fit.\n", plan.why);
  } else {
    fmt::print("\nNothing fits in {}.\n", format_bytes(plan.memory));
  }
  if (report.hint) fmt::print("Hint: {}.\n", *report.hint);
}

json plan_json(const PlanReport& report) {
  const ProblemShape& shape = report.shape;
  const Plan& plan = report.plan;
  json document{{"data",
                 {{"kind", kind_name(shape.kind)},
                  {"samples", shape.samples},
                  {"features", shape.features},
                  {"entries", shape.entries},
                  {"labeled", shape.labeled},
                  {"outputs", shape.outputs}}},
                {"memory", plan.memory},
                {"device_memory", plan.device_memory},
                {"chosen", plan.chosen ? json(*plan.chosen) : json()},
                {"why", plan.why},
                {"seconds", {{"least", report.time.least}, {"most", report.time.most}}}};
  if (report.hint) document["hint"] = *report.hint;
  if (report.ranks > 0) {
    document["engine"] = {{"name", "petsc"},
                          {"processes", report.ranks},
                          {"samples", plan.shape.samples},
                          {"entries", plan.shape.entries}};
  }
  for (const Strategy& each : plan.strategies) {
    const MemoryUse& use = each.peak;
    document["strategies"].push_back({{"name", each.name},
                                      {"fits", each.fits},
                                      {"bytes", use.total()},
                                      {"expected_bytes", each.expected},
                                      {"device_bytes", each.device},
                                      {"phase", use.phase},
                                      {"program", use.program},
                                      {"samples", use.samples},
                                      {"gram", use.gram},
                                      {"blocks", use.blocks},
                                      {"system", use.system},
                                      {"model", use.model},
                                      {"single_precision", each.execution.single_precision},
                                      {"outputs_at_once", each.execution.outputs_at_once},
                                      {"block_bytes", each.execution.block_bytes},
                                      {"products", each.work.products},
                                      {"kernel_values", each.work.evaluations},
                                      {"operations", each.work.operations},
                                      {"neighbor_pairs", each.work.pairs},
                                      {"algebra", each.work.algebra}});
  }
  return document;
}

}  // namespace stkr::app
