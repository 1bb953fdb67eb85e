#include "module.hpp"

#include "stkr/version.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace stkr::python;
  module.doc() = "The compiled part of stkr. Use the public names in stkr instead.";
  module.attr("__version__") = stkr::kVersion;
  bind_errors(module);
  bind_arrow(module);
  bind_transform(module);
  bind_specification(module);
  bind_samples(module);
  bind_gram(module);
  bind_model(module);
  bind_kept_system(module);
  bind_fit(module);
  bind_explain(module);
  bind_select(module);
  bind_report(module);
  bind_reproduce(module);
  bind_theory_spectrum(module);
  bind_theory_norms(module);
  bind_theory_kernels(module);
  bind_theory_bounds(module);
  bind_theory_fits(module);
}
