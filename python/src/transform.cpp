#include <pybind11/functional.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include "module.hpp"
#include "stkr/transform/spectral_transform.hpp"
#include "transform/transform_text.hpp"

namespace stkr::python {

void bind_transform(py::module_& module) {
  py::class_<SpectralTransform>(module, "SpectralTransform")
      .def_static("power", &SpectralTransform::power, py::arg("exponent"))
      .def_static("polynomial", &SpectralTransform::polynomial, py::arg("coefficients"))
      .def_static("inverse_laplacian", &SpectralTransform::inverse_laplacian, py::arg("eta"))
      .def_static("reciprocal", &SpectralTransform::reciprocal, py::arg("coefficients"),
                  py::arg("r"))
      .def_static("diffusion", &SpectralTransform::diffusion, py::arg("time"))
      .def_static("truncation", &SpectralTransform::truncation, py::arg("dimension"))
      .def_static("poisson", &SpectralTransform::poisson, py::arg("eta"))
      .def_static("smooth_step", &SpectralTransform::smooth_step, py::arg("position"),
                  py::arg("sharpness"))
      .def_static(
          "sum",
          [](const std::vector<std::pair<double, SpectralTransform>>& terms) {
            std::vector<TransformTerm> weighted;
            for (const auto& [weight, transform] : terms) weighted.push_back({weight, transform});
            return SpectralTransform::sum(std::move(weighted));
          },
          py::arg("terms"))
      .def_static(
          "through",
          [](const std::vector<std::pair<double, double>>& pairs) {
            std::vector<TransformPair> given;
            for (const auto& [lambda, value] : pairs) given.push_back({lambda, value});
            return transform_through(std::move(given));
          },
          py::arg("pairs"))
      .def_static("from_text", &transform_from_text, py::arg("text"))
      .def_static("function", &SpectralTransform::callable, py::arg("name"), py::arg("s"))
      .def_property_readonly("name", &SpectralTransform::name)
      .def("describe", &SpectralTransform::describe)
      .def("text", [](const SpectralTransform& s) { return to_text(s); })
      .def("__call__",
           [](const SpectralTransform& s, const py::array_t<double>& lambda) {
             return py::vectorize([&s](double x) { return s(x); })(lambda);
           })
      .def(
          "validate",
          [](const SpectralTransform& s, double lower, double upper) {
            const TransformValidity validity = s.validate({lower, upper});
            py::list conditions;
            for (const ConditionCheck& check : validity.conditions) {
              conditions.append(py::make_tuple(check.condition, check.holds, check.finding));
            }
            return py::make_tuple(validity.valid(), validity.slope, conditions);
          },
          py::arg("lower"), py::arg("upper"))
      .def("__repr__", [](const SpectralTransform& s) { return "<" + s.describe() + ">"; });
}

}  // namespace stkr::python
