#include <pybind11/stl.h>

#include "any_gram.hpp"
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "new_arrays.hpp"
#include "specification.hpp"
#include "stkr/theory/transformed_kernel.hpp"

namespace stkr::python {
namespace {

KernelSamples samples_from(const py::array& known, const NewArrays* fresh,
                           const std::optional<py::array>& among) {
  KernelSamples samples{.known = indices_from(known, "known")};
  if (fresh != nullptr) samples.fresh = fresh->slice(0, fresh->count());
  if (among) samples.among = borrow(*among, "among").matrix();
  return samples;
}

// Values, the error of s, and whether inner solves converged.
py::tuple transformed_kernel_of(const AnyGram& gram, const PowerOrTransform& s,
                                const py::array& known, const NewArrays* fresh,
                                const std::optional<py::array>& among, Index dense_below,
                                const NamedSpecification& named) {
  const KernelSamples samples = samples_from(known, fresh, among);
  TransformedKernel found = interruptible([&](std::stop_token cancel) {
    return std::visit(
        [&](const auto& one) {
          return transformed_kernel(gram_of(gram), one, samples, {.dense_below = dense_below},
                                    named.with(std::move(cancel)));
        },
        s);
  });
  return py::make_tuple(to_numpy(std::move(found.values)), found.error, found.converged);
}

py::array_t<double> distances_of(const py::array& kernel) {
  return to_numpy(kernel_distances(borrow(kernel, "kernel").matrix()));
}

}  // namespace

void bind_theory_kernels(py::module_& module) {
  module.def("transformed_kernel", &transformed_kernel_of, py::arg("gram"), py::arg("s"),
             py::arg("known"), py::arg("fresh"), py::arg("among"), py::arg("dense_below"),
             py::arg("spec"));
  module.def("kernel_distances", &distances_of, py::arg("kernel"));
}

}  // namespace stkr::python
