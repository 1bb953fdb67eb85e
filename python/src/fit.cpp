#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "kept_system.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "report/fit_page.hpp"
#include "samples.hpp"
#include "specification.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/selection/fit_automatic.hpp"
#include "summary.hpp"

namespace stkr::python {
namespace {

AutomaticFit fit_samples(Samples& samples, Labels labels, const Specification& spec,
                         const Context& context) {
  if (auto* dataset = std::get_if<Dataset>(&samples.data)) {
    check_label_count(labels, dataset->size(), "y");
    dataset->labels = std::move(labels);
    return fit_automatic(*dataset, spec, context);
  }
  check_label_count(labels, samples.size(), "y");
  ModelInfo info;
  info.samples = "kernel";
  return fit_automatic(prepare(samples, spec, context), labels, spec, {}, context, std::move(info));
}

py::tuple fit(Samples& samples, const py::array& y, std::vector<std::string> names,
              const NamedSpecification& named, bool boolean) {
  Labels labels = labels_from(y, std::move(names), boolean);
  const auto* dataset = std::get_if<Dataset>(&samples.data);
  const std::optional<DatasetKind> kind =
      dataset ? std::optional(dataset->kind()) : std::nullopt;  // before the samples are moved
  ProgressWatch watch(named.progress);
  AutomaticFit automatic = interruptible(
      [&](std::stop_token cancel) {
        return fit_samples(samples, std::move(labels), named.specification(),
                           named.with(std::move(cancel), watch));
      },
      &watch);
  FittedModel& result = automatic.fitted;
  py::dict summary = to_dict(result.summary);
  py::list tried;
  for (const TriedAutomatically& one : automatic.tried) {
    tried.append(py::make_tuple(one.kernel, one.score, one.best, one.left_out));
  }
  summary["tried"] = tried;
  summary["scored_by"] = automatic.scored_by;
  summary["choices"] = to_list(result.choices);
  summary["record"] = report::record_of(automatic);
  summary["kernel"] =
      kind ? name_of(kernel_parts(*kind, automatic.spec).front().kernel) : std::string();
  py::dict numbers;  // of the first kernel, if there are several
  for (const Choice& choice : result.choices) {
    for (const auto& [name, value] : choice.numbers) {
      if (!numbers.contains(name.c_str())) numbers[name.c_str()] = value;
    }
  }
  summary["numbers"] = numbers;
  if (result.reach) {
    summary["components"] = result.reach->components();
    summary["unreached"] = result.reach->samples_without_label();
  }
  py::object embedding = py::none();
  if (result.embedding) {
    embedding = py::make_tuple(to_numpy(result.embedding->eigenvalues),
                               to_numpy(std::move(result.embedding->values)),
                               to_numpy(std::move(result.embedding->coefficients)));
  }
  py::object system = py::none();
  if (result.system) {
    system = py::cast(KeptSystem{std::move(result.system), named.context});
  }
  return py::make_tuple(std::move(result.model), summary, embedding, system);
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def("fit", &fit, py::arg("samples"), py::arg("y"), py::arg("names"), py::arg("spec"),
             py::arg("boolean") = false,
             "Returns model, summary, embedding and system (each of the last two may be None). "
             "Consumes the samples.");
}

}  // namespace stkr::python
