#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "labels.hpp"
#include "module.hpp"
#include "report/fit_page.hpp"
#include "report/selection_page.hpp"
#include "selection_result.hpp"

namespace stkr::python {
namespace {

// The parts of a page that only Python knows.
struct PageExtras {
  std::string data;
  std::vector<std::string> names;  // of the samples
  std::optional<py::array> features;
  std::string image;
  report::Facts repeat;
};

report::RunPage page_of(const Model& model, const report::FitRecord& record, const Labels& labels,
                        const PageExtras& extras) {
  std::optional<report::PictureShape> picture;
  if (!extras.image.empty()) picture = report::picture_shape(extras.image);
  std::optional<SharedMatrix> features;
  if (extras.features) features = borrow(*extras.features, "X");
  return report::fit_page({.data = extras.data,
                           .model = model,
                           .record = record,
                           .labels = labels,
                           .truth = labels,
                           .names = extras.names,
                           .features = features ? &*features : nullptr,
                           .picture = picture,
                           .repeat = extras.repeat});
}

std::string fit_page(const Model& model, const report::FitRecord& record,
                     const SelectionResult* selection, const std::optional<py::array>& y,
                     std::vector<std::string> classes, const std::string& data,
                     std::vector<std::string> names, std::optional<py::array> features,
                     const std::string& image, report::Facts repeat) {
  Labels labels;
  if (y) labels = labels_from(*y, std::move(classes));
  report::RunPage page =
      page_of(model, record, labels,
              {data, std::move(names), std::move(features), image, std::move(repeat)});
  if (selection) {
    page = joined(report::selection_page({.data = data,
                                          .name = {},
                                          .result = selection->all,
                                          .seed = selection->named.context.seed}),
                  std::move(page));
  }
  return render_html(page);
}

}  // namespace

void bind_report(py::module_& module) {
  // A copy or a pickle of a record is empty: it is large, and pages can do without it.
  py::class_<report::FitRecord>(module, "FitRecord")
      .def(py::pickle([](const report::FitRecord&) { return py::make_tuple(); },
                      [](const py::tuple&) { return report::FitRecord{}; }));
  module.def("fit_page", &fit_page, py::arg("model"), py::arg("record"), py::arg("selection"),
             py::arg("y"), py::arg("classes"), py::arg("data"), py::arg("names"),
             py::arg("features"), py::arg("image"), py::arg("repeat"),
             "Returns a page about a fit, as HTML.");
}

}  // namespace stkr::python
