#include <pybind11/stl.h>

#include "arrays.hpp"
#include "estimator/gram_spectrum.hpp"
#include "interruptible.hpp"
#include "model/fit_method.hpp"
#include "module.hpp"
#include "samples.hpp"
#include "specification.hpp"
#include "stkr/solver/eigenpairs.hpp"
#include "summary.hpp"

namespace stkr::python {
namespace {

// Runs products that take only milliseconds on the calling thread: SciPy's solvers compute hundreds
// of them, which would not be worth a thread each.
template <class Work>
Matrix evaluate(const PreparedGram& prepared, Work&& work) {
  const Index size = prepared.gram->size();
  if (size < (prepared.gram->sparse() ? 100'000 : 2'000)) {
    const py::gil_scoped_release unlocked;
    return work();
  }
  return interruptible([&](std::stop_token) { return work(); });
}

py::tuple eigenpairs(const PreparedGram& prepared, Index count, double tolerance,
                     int max_iterations, const NamedSpecification& named) {
  EigenpairOptions options;
  options.tolerance = tolerance;
  options.max_iterations = max_iterations;
  Eigenpairs pairs = interruptible([&](std::stop_token cancel) {
    return top_eigenpairs(*prepared.gram, count, options, named.with(std::move(cancel)));
  });
  return py::make_tuple(to_numpy(pairs.values), to_numpy(std::move(pairs.vectors)),
                        to_numpy(pairs.residuals), to_dict(pairs.summary));
}

// Returns α, c, f̂, the summary and the choices for the given right-hand sides, without intercept.
py::tuple solve(const PreparedGram& prepared, const py::array& labeled, const py::array& y,
                const NamedSpecification& named) {
  EncodedTargets targets;
  targets.labeled = indices_from(labeled, "labeled");
  targets.y = borrow(y, "y").matrix();
  std::vector<Choice> choices;
  Fit fit = interruptible([&](std::stop_token cancel) {
    check_labeled(*prepared.gram, targets.labeled, targets.y);
    return fit_method(*prepared.gram, targets, named.specification(), {}, choices,
                      named.with(std::move(cancel)));
  });
  return py::make_tuple(to_numpy(std::move(fit.alpha)), to_numpy(std::move(fit.coefficients)),
                        to_numpy(std::move(fit.fitted)), to_dict(fit.summary), to_list(choices));
}

}  // namespace

void bind_gram(py::module_& module) {
  py::class_<PreparedGram>(module, "Gram")
      .def(py::init([](Samples& samples, const NamedSpecification& named) {
             return interruptible([&](std::stop_token cancel) {
               return prepare(samples, named.specification(), named.with(std::move(cancel)));
             });
           }),
           py::arg("samples"), py::arg("spec"))
      .def("__len__", [](const PreparedGram& self) { return self.gram->size(); })
      .def("apply",
           [](const PreparedGram& self, const py::array& x) {
             const SharedMatrix block = borrow(x, "x").in_precision_of<double>();
             return to_numpy(
                 evaluate(self, [&] { return product(*self.gram, block.as<double>()); }));
           })
      .def("block",
           [](const PreparedGram& self, const py::array& rows, const py::array& columns) {
             const std::vector<Index> r = indices_from(rows, "rows");
             const std::vector<Index> c = indices_from(columns, "columns");
             return to_numpy(evaluate(self, [&] { return self.gram->block(r, c); }));
           })
      .def_property_readonly("bounds",
                             [](const PreparedGram& self) {
                               const SpectrumBounds bounds = self.gram->bounds();
                               return py::make_tuple(bounds.lower, bounds.upper);
                             })
      .def_property_readonly("sparse", [](const PreparedGram& self) { return self.gram->sparse(); })
      .def_readonly("description", &PreparedGram::description)
      .def_property_readonly("choices",
                             [](const PreparedGram& self) { return to_list(self.choices); })
      .def("largest_eigenvalue",
           [](const PreparedGram& self, const NamedSpecification& named) {
             return interruptible([&](std::stop_token cancel) {
               return largest_eigenvalue(*self.gram, named.with(std::move(cancel)));
             });
           })
      .def("eigenpairs", &eigenpairs, py::arg("count"), py::arg("tolerance"),
           py::arg("max_iterations"), py::arg("spec"))
      .def("solve", &solve, py::arg("labeled"), py::arg("y"), py::arg("spec"));
}

}  // namespace stkr::python
