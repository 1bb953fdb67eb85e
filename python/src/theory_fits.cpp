#include <pybind11/stl.h>

#include "any_gram.hpp"
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "specification.hpp"
#include "stkr/theory/fit_estimates.hpp"

namespace stkr::python {
namespace {

StkrOptions options_of(const SpectralTransform& transform, double ridge, std::optional<double> beta,
                       bool constant) {
  StkrOptions options;
  options.transform = transform;
  options.ridge = ridge;
  options.beta = beta;
  options.constant = constant;
  return options;
}

py::dict cross_fit_of(const AnyGram& gram, const py::array& labeled, const py::array& y,
                      const SpectralTransform& transform, double ridge, std::optional<double> beta,
                      bool constant, Index parts, const NamedSpecification& named) {
  const std::vector<Index> samples = indices_from(labeled, "labeled");
  const Matrix targets = borrow(y, "y").matrix();
  CrossFit found = interruptible([&](std::stop_token cancel) {
    return cross_fit_stkr(gram_of(gram), samples, targets,
                          options_of(transform, ridge, beta, constant), {.parts = parts},
                          named.with(std::move(cancel)));
  });
  py::dict result;
  result["estimate"] = found.estimate;
  result["adjusted"] = found.adjusted;
  result["standard_error"] = found.standard_error;
  result["terms"] = found.terms;
  result["parts"] = found.parts;
  result["mean"] = to_numpy(std::move(found.mean));
  return result;
}

py::dict estimate_dict(const TargetEstimate& one) {
  py::dict result;
  result["mean"] = one.mean;
  result["scale_b"] = one.scale_b;
  result["epsilon"] = one.epsilon;
  result["sigma"] = one.sigma();
  result["moment_l"] = one.moment_l;
  return result;
}

// The worst over outputs, each output, and the number of residuals.
py::tuple estimates_tuple(const TargetEstimates& found) {
  py::list outputs;
  for (const TargetEstimate& one : found.outputs) outputs.append(estimate_dict(one));
  return py::make_tuple(estimate_dict(found.worst), outputs, found.residuals);
}

py::tuple estimates_of_fit(const AnyGram& gram, const py::array& labeled, const py::array& y,
                           const SpectralTransform& transform, double ridge,
                           std::optional<double> beta, bool constant,
                           const NamedSpecification& named) {
  const std::vector<Index> samples = indices_from(labeled, "labeled");
  const Matrix targets = borrow(y, "y").matrix();
  return estimates_tuple(interruptible([&](std::stop_token cancel) {
    return target_estimates_stkr(gram_of(gram), samples, targets,
                                 options_of(transform, ridge, beta, constant),
                                 named.with(std::move(cancel)));
  }));
}

py::tuple estimates_of_values(const AnyGram& gram, const SpectralTransform& transform,
                              const py::array& values, const py::array& residuals,
                              const NamedSpecification& named) {
  const Matrix f = borrow(values, "values").matrix(),
               rest = borrow(residuals, "residuals").matrix();
  return estimates_tuple(interruptible([&](std::stop_token cancel) {
    return target_estimates(gram_of(gram), transform, f, rest, {}, named.with(std::move(cancel)));
  }));
}

}  // namespace

void bind_theory_fits(py::module_& module) {
  module.def("cross_fit", &cross_fit_of, py::arg("gram"), py::arg("labeled"), py::arg("y"),
             py::arg("transform"), py::arg("ridge"), py::arg("beta"), py::arg("constant"),
             py::arg("parts"), py::arg("spec"));
  module.def("target_estimates_of_fit", &estimates_of_fit, py::arg("gram"), py::arg("labeled"),
             py::arg("y"), py::arg("transform"), py::arg("ridge"), py::arg("beta"),
             py::arg("constant"), py::arg("spec"));
  module.def("target_estimates", &estimates_of_values, py::arg("gram"), py::arg("transform"),
             py::arg("values"), py::arg("residuals"), py::arg("spec"));
}

}  // namespace stkr::python
