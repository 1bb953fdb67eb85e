#include "specification.hpp"

#include <pybind11/stl.h>

#include "arrays.hpp"
#include "module.hpp"
#include "runtime/memory.hpp"
#include "runtime/thread_count.hpp"

namespace stkr::python {
namespace {

// Binds a member of a member: spec.kernel.gamma as spec.gamma.
template <class Class, class Part, class Value>
void bind_part(Class& bound, const char* name, Part NamedSpecification::*part,
               Value Part::*member) {
  bound.def_property(
      name, [part, member](const NamedSpecification& self) { return self.*part.*member; },
      [part, member](NamedSpecification& self, const Value& value) { self.*part.*member = value; });
}

}  // namespace

Specification NamedSpecification::specification() const {
  Specification spec;
  spec.kernel = chosen_kernel ? *chosen_kernel : kernel_spec(kernel);
  if (chosen_added) {
    spec.added = *chosen_added;
  } else if (!features_kernel.name.empty()) {
    spec.added.push_back({kernel_spec(features_kernel), features_share});
  }
  MethodOptions named = method;
  if (transform) named.literal_top_d = false;  // method_spec would look for a transform by name
  spec.method = method_spec(named);
  if (auto* stkr = std::get_if<StkrSpec>(&spec.method); stkr && transform) {
    stkr->transform = transform;
    stkr->automatic = false;
    stkr->literal_top_d = method.literal_top_d;
  }
  spec.center = center;
  spec.measure = measure_from_name(measure);
  spec.sample_weights = sample_weights;
  spec.decision = decision;
  spec.embedding = embedding;
  spec.diagnostics = diagnostics;
  spec.leave_one_out = leave_one_out;
  spec.keep_system = keep_system;
  return spec;
}

void bind_specification(py::module_& module) {
  py::class_<LengthScale>(module, "LengthScale")
      .def(py::init([](double value, bool relative, bool median) {
             return LengthScale{value, relative, median};
           }),
           py::arg("value") = 1.0, py::arg("relative") = true, py::arg("median") = false);
  using Named = NamedSpecification;
  py::class_<Named> bound(module, "Specification");
  bound.def(py::init<>());
  const auto kernel = [&](const char* name, auto member) {
    bind_part(bound, name, &Named::kernel, member);
  };
  kernel("kernel", &KernelOptions::name);
  kernel("length_scale", &KernelOptions::length_scale);
  kernel("neighbors", &KernelOptions::neighbors);
  kernel("edge_weight", &KernelOptions::edge_weight);
  kernel("edge_rule", &KernelOptions::edge_rule);
  kernel("recall", &KernelOptions::recall);
  kernel("principal_components", &KernelOptions::principal_components);
  kernel("gamma", &KernelOptions::gamma);
  kernel("coef0", &KernelOptions::coef0);
  kernel("degree", &KernelOptions::degree);
  kernel("normalize", &KernelOptions::normalize);
  kernel("self_loops", &KernelOptions::self_loops);
  const auto features = [&](const char* name, auto member) {
    bind_part(bound, name, &Named::features_kernel, member);
  };
  features("features_kernel", &KernelOptions::name);
  features("features_length_scale", &KernelOptions::length_scale);
  features("smooth", &KernelOptions::smoothing);
  bound.def_readwrite("features_share", &Named::features_share);
  const auto method = [&](const char* name, auto member) {
    bind_part(bound, name, &Named::method, member);
  };
  method("method", &MethodOptions::method);
  method("transform_name", &MethodOptions::transform);
  method("eta", &MethodOptions::eta);
  method("power", &MethodOptions::power);
  method("time", &MethodOptions::time);
  method("dimension", &MethodOptions::dimension);
  method("literal_top_d", &MethodOptions::literal_top_d);
  method("pca_of_all", &MethodOptions::pca_of_all);
  method("ridge", &MethodOptions::ridge);
  method("beta", &MethodOptions::beta);
  method("solver", &MethodOptions::solver);
  method("tolerance", &MethodOptions::tolerance);
  method("max_iterations", &MethodOptions::max_iterations);
  method("step_size", &MethodOptions::step_size);
  method("iterations", &MethodOptions::iterations);
  const auto decision = [&](const char* name, auto member) {
    bind_part(bound, name, &Named::decision, member);
  };
  decision("class_mass", &DecisionOptions::class_mass);
  decision("uniform_prior", &DecisionOptions::uniform_prior);
  decision("prior", &DecisionOptions::prior);
  decision("by_volume", &DecisionOptions::by_volume);
  decision("intercept", &DecisionOptions::intercept);
  bind_part(bound, "memory", &Named::context, &Context::memory);
  bind_part(bound, "seed", &Named::context, &Context::seed);
  bind_part(bound, "threads", &Named::context, &Context::threads);
  bound.def_property(
      "device", [](const Named& self) { return std::string(self.context.device.name()); },
      [](Named& self, const std::string& name) { self.context.device = Device::named(name); });
  bound.def_readwrite("transform", &Named::transform)
      .def_readwrite("center", &Named::center)
      .def_readwrite("measure", &Named::measure)
      .def_readwrite("embedding", &Named::embedding)
      .def_readwrite("diagnostics", &Named::diagnostics)
      .def_readwrite("leave_one_out", &Named::leave_one_out)
      .def_readwrite("keep_system", &Named::keep_system)
      .def_property(
          "progress",
          [](const Named& self) -> py::object {
            return self.progress ? *self.progress : py::object(py::none());
          },
          [](Named& self, py::object function) {
            self.progress = watch_function(std::move(function));
          })
      .def_property(
          "sample_weights", [](const Named& self) { return to_numpy(self.sample_weights); },
          [](Named& self,
             const py::array_t<double, py::array::c_style | py::array::forcecast>& weights) {
            self.sample_weights = Eigen::Map<const Vector>(weights.data(), weights.size());
          });
  module.def("point_kernel_names", &point_kernel_names);
  module.def("graph_kernel_names", &graph_kernel_names);
  module.def("transform_names", &transform_names);
  module.def("solver_names", &solver_names);
  module.def("edge_weight_names", &edge_weight_names);
  module.def("edge_rule_names", &edge_rule_names);
  module.def("measure_names", &measure_names);
  module.def("parse_memory",
             [](const std::string& text) { return parse_memory(text, available_memory()); });
  module.def("default_threads", [] { return default_threads(); });
}

}  // namespace stkr::python
