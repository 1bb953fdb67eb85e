#include <pybind11/stl.h>

#include "any_gram.hpp"
#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "specification.hpp"
#include "stkr/theory/discriminant.hpp"
#include "stkr/theory/rkhs_norm.hpp"

namespace stkr::python {
namespace {

// One column.
Vector column(const py::array& values, const char* what) {
  return borrow(values, what).matrix().col(0);
}

py::dict norm_dict(const RkhsNorm& norm) {
  py::dict result;
  result["squared"] = norm.squared;
  result["error"] = norm.error;
  result["outside"] = norm.outside;
  result["converged"] = norm.converged;
  return result;
}

py::dict norm_of(const AnyGram& gram, const PowerOrTransform& s, const py::array& f,
                 Index exact_below, const NamedSpecification& named) {
  const Vector values = column(f, "f");
  return norm_dict(interruptible([&](std::stop_token cancel) {
    return std::visit(
        [&](const auto& one) {
          return rkhs_norm(gram_of(gram), one, values, {.exact_below = exact_below},
                           named.with(std::move(cancel)));
        },
        s);
  }));
}

double inner_product_of(const AnyGram& gram, const PowerOrTransform& s, const py::array& f,
                        const py::array& g, Index exact_below, const NamedSpecification& named) {
  const Vector first = column(f, "f"), second = column(g, "g");
  return interruptible([&](std::stop_token cancel) {
    return std::visit(
        [&](const auto& one) {
          return rkhs_inner_product(gram_of(gram), one, first, second, {.exact_below = exact_below},
                                    named.with(std::move(cancel)));
        },
        s);
  });
}

py::list smoothness_of(const AnyGram& gram, const py::array& f, const std::vector<double>& scales,
                       Index exact_below, const NamedSpecification& named) {
  const Vector values = column(f, "f");
  const std::vector<Smoothness> found = interruptible([&](std::stop_token cancel) {
    return multiscale_smoothness(gram_of(gram), values, scales, {.exact_below = exact_below},
                                 named.with(std::move(cancel)));
  });
  py::list result;
  for (const Smoothness& one : found) {
    py::dict row;
    row["p"] = one.p;
    row["ratio"] = one.ratio;
    row["variance"] = one.variance;
    row["norm"] = norm_dict(one.norm);
    result.append(row);
  }
  return result;
}

py::array_t<double> poincare(const AnyGram& gram, double p, Index count,
                             const NamedSpecification& named) {
  return to_numpy(interruptible([&](std::stop_token cancel) {
    return poincare_constants(gram_of(gram), p, count, named.with(std::move(cancel)));
  }));
}

py::dict discriminant_of(const py::array& scores, const py::array& classes) {
  const SharedMatrix values = borrow(scores, "scores");
  const std::vector<Index> codes = indices_from(classes, "classes");
  const Discriminant found = discriminant(values.matrix(), codes);
  py::dict result;
  result["share"] = to_numpy(found.share);
  result["overall"] = found.overall;
  result["ratio_trace"] = found.ratio_trace;
  result["classes"] = found.classes;
  return result;
}

}  // namespace

void bind_theory_norms(py::module_& module) {
  module.def("rkhs_norm", &norm_of, py::arg("gram"), py::arg("s"), py::arg("f"),
             py::arg("exact_below"), py::arg("spec"));
  module.def("rkhs_inner_product", &inner_product_of, py::arg("gram"), py::arg("s"), py::arg("f"),
             py::arg("g"), py::arg("exact_below"), py::arg("spec"));
  module.def("smoothness", &smoothness_of, py::arg("gram"), py::arg("f"), py::arg("scales"),
             py::arg("exact_below"), py::arg("spec"));
  module.def("poincare_constants", &poincare, py::arg("gram"), py::arg("p"), py::arg("count"),
             py::arg("spec"));
  module.def("discriminant", &discriminant_of, py::arg("scores"), py::arg("classes"));
}

}  // namespace stkr::python
