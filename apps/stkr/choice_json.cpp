#include "choice_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "specification/kernel_names.hpp"
#include "specification/method_names.hpp"

namespace stkr::app {
namespace {

using nlohmann::json;

// "length-scale" as "length_scale".
std::string key_of(std::string option) {
  std::replace(option.begin(), option.end(), '-', '_');
  return option;
}

void add_numbers(const Choice& choice, json& document) {
  for (const auto& [name, value] : choice.numbers) document[key_of(name)] = value;
}

json one_kernel(const KernelSpec& kernel, const Choice* choice) {
  json document{{"name", name_of(kernel)}};
  if (const auto* points = kernel.get_if<PointKernelSpec>()) {
    const KernelParameters parameters = points->kernel.parameters();
    if (points->kernel.kind() == KernelKind::polynomial) {
      document["gamma"] = parameters.gamma;
      document["coef0"] = parameters.coef0;
      document["degree"] = parameters.degree;
    }
    if (points->smoothing > 0) document["smooth"] = points->smoothing;
    if (points->normalize) document["normalize"] = *points->normalize;
  }
  if (const auto* graph = kernel.get_if<NeighborGraphSpec>()) {
    document["edge_weight"] = to_string(graph->weight);
    document["edges"] = to_string(graph->rule);
    document["recall"] = graph->recall;
  }
  if (const auto* graph = kernel.get_if<GraphKernelSpec>()) {
    document["self_loops"] = graph->self_loops;
  }
  if (choice != nullptr) {
    add_numbers(*choice, document);
    document["text"] = choice->value;
  }
  return document;
}

}  // namespace

json choices_json(const std::vector<Choice>& choices) {
  json list = json::array();
  for (const Choice& choice : choices) {
    json& one = list.emplace_back(json{{"what", choice.what},
                                       {"value", choice.value},
                                       {"chosen", !choice.why.empty()},
                                       {"why", choice.why}});
    add_numbers(choice, one);
  }
  return list;
}

json kernel_json(const Specification& spec, DatasetKind kind, const std::vector<Choice>& choices) {
  std::vector<const Choice*> described;
  for (const Choice& choice : choices) {
    if (choice.what == "kernel") described.push_back(&choice);
  }
  const auto choice = [&](std::size_t k) { return k < described.size() ? described[k] : nullptr; };
  const KernelSpec own = spec.kernel == KernelSpec() ? spec.kernel.resolved(kind) : spec.kernel;
  if (spec.added.empty()) return one_kernel(own, choice(0));
  json parts = json::array({one_kernel(own, choice(0))});
  for (std::size_t k = 0; k < spec.added.size(); ++k) {
    parts.push_back(one_kernel(spec.added[k].kernel, choice(k + 1)));
    if (spec.added[k].share) parts.back()["share"] = *spec.added[k].share;
  }
  return parts;
}

void add_method(const Specification& spec, const std::vector<Choice>& choices, json& document) {
  const MethodOptions options = options_of(spec.method);
  document["method"] = options.method;
  json transform = json::object();
  if (!options.transform.empty()) transform["name"] = options.transform;
  const auto add = [&](const char* name, const auto& value) {
    if (value) transform[name] = *value;
  };
  add("power", options.power);
  add("eta", options.eta);
  add("time", options.time);
  add("d", options.dimension);
  if (!options.coefficients.empty()) transform["coefficients"] = options.coefficients;
  for (const Choice& choice : choices) {
    if (choice.what != "transform" && choice.what != "method") continue;
    transform["text"] = choice.value;
    add_numbers(choice, transform);
  }
  if (!transform.empty()) document["transform"] = std::move(transform);
  if (options.iterations) document["iterations"] = *options.iterations;
}

}  // namespace stkr::app
