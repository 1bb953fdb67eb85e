#include "selection_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "cli.hpp"
#include "format/atomic_file.hpp"
#include "json_text.hpp"
#include "specification_text.hpp"
#include "standard_streams.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr::app {

using nlohmann::json;

void name_kernels(DatasetKind kind, bool kernels_given, SelectionReport& report) {
  for (const KernelCandidate& candidate : report.result.candidates) {
    // Without a kernel, fit would choose one by itself.
    Specification named = candidate.spec;
    if (named.kernel == KernelSpec()) named.kernel = named.kernel.resolved(kind);
    const bool print = kernels_given || candidate.spec.kernel == KernelSpec();
    report.kernel_options.push_back(print ? kernel_words(named) : std::vector<std::string>());
    if (report.result.candidates.size() == 1) {
      report.name += ", " + describe(named.kernel.resolved(kind));
    }
  }
}

int report_selection(const SelectArguments& arguments, SelectionReport& report, bool converged,
                     const json& data, const std::vector<std::string>& notes, const json* engine) {
  if (const Plan& plan = report.result.plan; plan.chosen && plan.chosen != 0) {
    note(fmt::format("memory: {} ({})", describe_choice(plan), plan.why));
  }
  if (!arguments.plot.empty()) {
    const std::string svg = heat_map(report);
    write_atomically(arguments.plot, [&](FileSink& sink) { sink.write(svg); });
    report.plot = arguments.plot;
  }
  for (const auto& [setting, selection] : report.result.selections) {
    for (const std::string& warning : selection.warnings) {
      const bool both = report.result.selections.size() > 1;
      warn((both ? fmt::format("{}: ", to_string(setting)) : "") + warning);
    }
  }
  if (arguments.common.json) {
    const bool given = report.command->get_option("--top")->count() > 0;
    json document =
        selection_json(report, given ? std::optional<int>(arguments.top) : std::nullopt);
    document["data"] = data;
    document["notes"] = notes;
    if (engine) document["engine"] = *engine;
    fmt::print("{}\n", json_text(document, 1));
  } else if (arguments.common.verbosity != Verbosity::quiet) {
    print_selection(report, arguments.top);
  }
  if (converged) return kDone;
  say("the fit of the chosen model did not converge; the model is written and marked");
  return kNotConverged;
}

}  // namespace stkr::app
