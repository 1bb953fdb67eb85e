#include <pybind11/functional.h>
#include <pybind11/stl.h>

#include "any_gram.hpp"
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "specification.hpp"
#include "stkr/theory/spectrum.hpp"

namespace stkr::python {
namespace {

py::tuple estimate_tuple(const Estimate& estimate) {
  return py::make_tuple(estimate.value, estimate.standard_error, estimate.resolution);
}

py::list to_arrays(const std::vector<Vector>& vectors) {
  py::list result;
  for (const Vector& vector : vectors) result.append(to_numpy(vector));
  return result;
}

SpectralDensity density_of(const AnyGram& gram, Index exact_below, int probes, int steps,
                           const NamedSpecification& named) {
  return interruptible([&](std::stop_token cancel) {
    return spectral_density(gram_of(gram), {exact_below, probes, steps},
                            named.with(std::move(cancel)));
  });
}

py::dict decay(const AnyGram& gram, const SpectralTransform& transform, Index exact_below,
               Index leading, double floor, const NamedSpecification& named) {
  const EigenvalueDecay found = interruptible([&](std::stop_token cancel) {
    return eigenvalue_decay(gram_of(gram), transform, {exact_below, leading, floor},
                            named.with(std::move(cancel)));
  });
  py::dict result;
  result["p"] = found.p;
  result["lower"] = found.lower;
  result["upper"] = found.upper;
  result["fitted"] = found.fitted;
  result["capped"] = found.capped;
  result["determined"] = found.determined;
  result["constant"] = found.constant;
  result["used"] = found.used;
  result["r_squared"] = found.r_squared;
  result["finding"] = found.finding;
  return result;
}

double dimension_of_samples(const AnyGram& gram, const SpectralTransform& transform,
                            const py::array& samples, double beta,
                            const NamedSpecification& named) {
  const std::vector<Index> chosen = indices_from(samples, "samples");
  return interruptible([&](std::stop_token cancel) {
    return effective_dimension(gram_of(gram), transform, chosen, beta,
                               named.with(std::move(cancel)));
  });
}

py::dict definite(const AnyGram& gram, Index exact_below, int probes, int steps,
                  const NamedSpecification& named) {
  const Definiteness found = interruptible([&](std::stop_token cancel) {
    return definiteness(gram_of(gram), {exact_below, probes, steps}, named.with(std::move(cancel)));
  });
  py::dict result;
  result["smallest"] = found.smallest;
  result["largest"] = found.largest;
  result["negative"] = estimate_tuple(found.negative);
  result["semidefinite"] = found.semidefinite;
  result["remedy"] = found.remedy;
  return result;
}

py::dict bound_of_kernel(const AnyGram& gram, Index most, const NamedSpecification& named) {
  const KernelBound found = interruptible([&](std::stop_token cancel) {
    return kernel_bound(gram_of(gram), most, named.with(std::move(cancel)));
  });
  py::dict result;
  result["kappa_squared"] = found.kappa_squared;
  result["sample"] = found.sample;
  result["samples"] = found.samples;
  result["complete"] = found.complete;
  return result;
}

}  // namespace

void bind_theory_spectrum(py::module_& module) {
  py::class_<SpectralDensity>(module, "SpectralDensity")
      .def_readonly("size", &SpectralDensity::size)
      .def_readonly("exact", &SpectralDensity::exact)
      .def_property_readonly("nodes", [](const SpectralDensity& s) { return to_arrays(s.nodes); })
      .def_property_readonly("weights",
                             [](const SpectralDensity& s) { return to_arrays(s.weights); })
      .def("smallest", &SpectralDensity::smallest)
      .def("largest", &SpectralDensity::largest)
      .def(
          "trace",
          [](const SpectralDensity& s, const std::function<double(double)>& phi) {
            return estimate_tuple(s.trace(phi));
          },
          py::arg("phi"))
      .def(
          "count_above",
          [](const SpectralDensity& s, double lambda) {
            return estimate_tuple(s.count_above(lambda));
          },
          py::arg("eigenvalue"))
      .def(
          "effective_dimension",
          [](const SpectralDensity& s, const SpectralTransform& transform, double beta) {
            return estimate_tuple(effective_dimension(s, transform, beta));
          },
          py::arg("transform"), py::arg("beta"));
  module.def("spectral_density", &density_of, py::arg("gram"), py::arg("exact_below"),
             py::arg("probes"), py::arg("steps"), py::arg("spec"));
  module.def("eigenvalue_decay", &decay, py::arg("gram"), py::arg("transform"),
             py::arg("exact_below"), py::arg("leading"), py::arg("floor"), py::arg("spec"));
  module.def("effective_dimension", &dimension_of_samples, py::arg("gram"), py::arg("transform"),
             py::arg("samples"), py::arg("beta"), py::arg("spec"));
  module.def("definiteness", &definite, py::arg("gram"), py::arg("exact_below"), py::arg("probes"),
             py::arg("steps"), py::arg("spec"));
  module.def("kernel_bound", &bound_of_kernel, py::arg("gram"), py::arg("most"), py::arg("spec"));
}

}  // namespace stkr::python
