#include "stkr/model/model.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "dataset/point_stream.hpp"
#include "estimator/answer_tally.hpp"
#include "format/row_buffer.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "new_arrays.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::python {
namespace {

void check_parts(const std::vector<NewArrays>& parts) {
  if (parts.empty()) throw ShapeError("new samples: no part given; expected one per kernel");
  for (const NewArrays& part : parts) {
    if (part.count() != parts.front().count()) {
      throw ShapeError(
          fmt::format("new samples: one part has {} rows, another {}; expected one row per new "
                      "sample in every part",
                      parts.front().count(), part.count()));
    }
  }
}

py::array_t<bool> flags(const std::vector<char>& values) {
  py::array_t<bool> result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

py::tuple answers(Predictions predictions) {
  py::array_t<std::int64_t> classes(static_cast<Index>(predictions.class_index.size()));
  std::copy(predictions.class_index.begin(), predictions.class_index.end(), classes.mutable_data());
  return py::make_tuple(to_numpy(std::move(predictions.scores)), flags(predictions.evidence),
                        classes, flags(predictions.tied));
}

py::tuple predict_new(const Model& model, const NewArrays& samples) {
  return answers(interruptible([&](std::stop_token cancel) {
    Predictions all;
    all.scores.resize(samples.count(), model.outputs());
    for_parts(samples, cancel, [&](const NewSamples& part, Index first) {
      const Predictions some = model.predict(part);
      all.scores.middleRows(first, some.scores.rows()) = some.scores;
      all.evidence.insert(all.evidence.end(), some.evidence.begin(), some.evidence.end());
      all.class_index.insert(all.class_index.end(), some.class_index.begin(),
                             some.class_index.end());
      all.tied.insert(all.tied.end(), some.tied.begin(), some.tied.end());
    });
    return all;
  }));
}

// Warnings about predictions of `predict_new`.
std::vector<std::string> answer_warnings(
    const Model& model, const py::array_t<bool, py::array::c_style>& evidence,
    const py::array_t<std::int64_t, py::array::c_style>& classes) {
  AnswerTally tally;
  for (Index i = 0; i < evidence.size(); ++i) {
    if (classes.size() == 0) {
      tally.add(1, evidence.data()[i] ? 0 : 1);
    } else {
      tally.add(evidence.data()[i] ? Index{classes.data()[i]} : Index{-1});
    }
  }
  return tally.warnings("samples", model.decision());
}

// Scores and evidence as `predict_new` returned them.
Predictions predictions_from(const py::array& scores,
                             const py::array_t<bool, py::array::c_style>& evidence) {
  Predictions result;
  result.scores = borrow(scores, "scores").in_precision_of<double>().as<double>();
  result.evidence.assign(evidence.data(), evidence.data() + evidence.size());
  return result;
}

py::array_t<double> probabilities(const Model& model, const py::array& scores,
                                  const py::array_t<bool, py::array::c_style>& evidence) {
  const auto* classes = std::get_if<ClassDecision>(&model.decision());
  if (classes == nullptr) throw ValueError("probabilities are for classes, not for numbers");
  return to_numpy(class_probabilities(*classes, predictions_from(scores, evidence)));
}

// The largest coverage of prediction sets; None if the model is not calibrated.
std::optional<double> largest_set_coverage(const Model& model) {
  const auto* classes = std::get_if<ClassDecision>(&model.decision());
  if (classes == nullptr || !classes->calibration) return std::nullopt;
  return largest_coverage(*classes->calibration);
}

py::array_t<bool> prediction_sets_of(const Model& model, const py::array& scores,
                                     const py::array_t<bool, py::array::c_style>& evidence,
                                     double coverage) {
  const auto* classes = std::get_if<ClassDecision>(&model.decision());
  if (classes == nullptr || !classes->calibration) {
    throw ValueError("prediction sets: the model did not leave its labels out");
  }
  const Predictions predictions = predictions_from(scores, evidence);
  const auto sets =
      prediction_sets(*classes->calibration, class_probabilities(*classes, predictions), coverage);
  py::array_t<bool> result({predictions.scores.rows(), predictions.scores.cols()});
  std::fill_n(result.mutable_data(), result.size(), false);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (const Index c : sets[i]) result.mutable_at(static_cast<Index>(i), c) = true;
  }
  return result;
}

py::array_t<double> held_out_probabilities(const py::array& scores,
                                           const py::array_t<bool, py::array::c_style>& evidence,
                                           const std::vector<double>& prior) {
  const SharedMatrix values = borrow(scores, "scores").in_precision_of<double>();
  const std::vector<char> reached(evidence.data(), evidence.data() + evidence.size());
  const Eigen::Map<const Vector> shares(prior.data(), static_cast<Index>(prior.size()));
  return to_numpy(class_probabilities(values.as<double>(), reached, shares));
}

py::array_t<double> kernel_product(const Model& model, const NewArrays& samples, const py::array& b,
                                   const py::array& values) {
  const SharedMatrix block = borrow(b, "b").in_precision_of<double>();
  const SharedMatrix known = borrow(values, "values").in_precision_of<double>();
  return to_numpy(interruptible([&](std::stop_token cancel) {
    const auto coefficients = block.as<double>();
    const auto values_of_known = known.as<double>();
    Matrix result(samples.count(), coefficients.cols());
    for_parts(samples, cancel, [&](const NewSamples& part, Index first) {
      const Matrix rows = model.kernel_product(part, coefficients, values_of_known);
      result.middleRows(first, rows.rows()) = rows;
    });
    return result;
  }));
}

// How tables become points: columns and scales. None without an encoding.
py::object encoding_of(const ModelInfo& info) {
  if (!info.encoding) return py::none();
  const TableEncoding& encoding = *info.encoding;
  py::list columns;
  for (const EncodedColumn& column : encoding.columns) {
    py::dict entry;
    entry["name"] = column.name;
    entry["kind"] = std::string(column_kind_name(column.kind));
    entry["levels"] = column.levels;
    entry["fill"] = column.fill;
    columns.append(entry);
  }
  py::dict result;
  result["columns"] = columns;
  result["numbers_only"] = encoding.numbers_only();
  result["standardized"] = encoding.standardized();
  result["center"] = std::vector<double>(encoding.center.begin(), encoding.center.end());
  result["scale"] = std::vector<double>(encoding.scale.begin(), encoding.scale.end());
  return result;
}

// New samples in a .csv file with a header, as points for `predict_new`, and warnings.
py::tuple read_table(const Model& model, const std::filesystem::path& path) {
  LoadOptions options;
  options.header = true;
  options.encoding = model.info().encoding ? &*model.info().encoding : nullptr;
  if (options.encoding == nullptr) throw ValueError("the model was not fitted on a table");
  std::vector<std::string> warnings;
  Matrix points = interruptible([&](std::stop_token cancel) {
    const auto stream = open_points(path, options);
    Matrix all(0, stream->features());
    Index rows = 0;
    const Index most = stream->at_a_time();
    // A table is dense.
    for (PointBlock part = stream->next(most); rows_of(part) > 0; part = stream->next(most)) {
      if (cancel.stop_requested()) throw Cancelled("interrupted");
      detail::append_rows(all, rows, std::get<Matrix>(part));
    }
    all.conservativeResize(rows, Eigen::NoChange);
    options.encoding->standardize(all);
    warnings = stream->warnings();
    return all;
  });
  return py::make_tuple(to_numpy(std::move(points)), warnings);
}

py::array_t<double> standardize(const Model& model, const py::array& values) {
  Matrix points = borrow(values, "X").matrix();
  if (model.info().encoding) model.info().encoding->standardize(points);
  return to_numpy(std::move(points));
}

py::dict info_of(const Model& model) {
  const ModelInfo& info = model.info();
  py::dict result;
  result["version"] = info.version;
  result["method"] = info.method;
  result["transform"] = info.transform;
  result["kernel"] = info.kernel;
  result["solver"] = info.solver;
  result["stop_reason"] = info.stop_reason;
  result["residual"] = info.residual;
  result["iterations"] = info.iterations;
  result["beta"] = info.beta;
  result["labeled"] = info.labeled;
  result["data_fingerprint"] = info.data_fingerprint;
  result["samples"] = info.samples;
  result["feature_names"] = info.feature_names;
  result["sample_names"] = info.sample_names;
  result["id_column"] = info.id_column;
  result["encoding"] = encoding_of(info);
  return result;
}

}  // namespace

void bind_model(py::module_& module) {
  module.def("class_probabilities", &held_out_probabilities, py::arg("scores"), py::arg("evidence"),
             py::arg("prior"));
  py::class_<NewArrays>(module, "NewSamples")
      .def_static("dense", [](const py::array& values) { return NewArrays{borrow(values, "X")}; })
      .def_static(
          "sparse",
          [](const py::array& indptr, const py::array& indices, const py::array& data, Index rows,
             Index cols) { return NewArrays{csr_from_arrays(indptr, indices, data, rows, cols)}; })
      .def_static("parts",
                  [](std::vector<NewArrays> parts) {
                    check_parts(parts);
                    return NewArrays{std::move(parts)};
                  })
      .def("__len__", &NewArrays::count);

  py::class_<Model>(module, "Model")
      .def_static(
          "load",
          [](const std::filesystem::path& path, int threads) {
            const py::gil_scoped_release unlocked;
            return Model::load(path, threads);
          },
          py::arg("path"), py::arg("threads") = 0)
      .def("save",
           [](const Model& model, const std::filesystem::path& path) {
             const py::gil_scoped_release unlocked;
             model.save(path);
           })
      .def("__len__", &Model::size)
      .def("predict_new", &predict_new, py::arg("samples"))
      .def("read_table", &read_table, py::arg("path"))
      .def("standardize", &standardize, py::arg("X"))
      .def("predict_fitted", [](const Model& model) { return answers(model.predict()); })
      .def("answer_warnings", &answer_warnings, py::arg("evidence"), py::arg("classes"))
      .def("probabilities", &probabilities, py::arg("scores"), py::arg("evidence"))
      .def("prediction_sets", &prediction_sets_of, py::arg("scores"), py::arg("evidence"),
           py::arg("coverage"))
      .def_property_readonly("largest_coverage", &largest_set_coverage)
      .def("kernel_product", &kernel_product, py::arg("samples"), py::arg("b"), py::arg("values"))
      .def_property_readonly(
          "coefficients",
          [](py::object self) { return view_of(self.cast<const Model&>().coefficients(), self); })
      .def_property_readonly(
          "fitted",
          [](py::object self) { return view_of(self.cast<const Model&>().fitted(), self); })
      .def_property_readonly("outputs", &Model::outputs)
      .def_property_readonly("features", &Model::features)
      .def_property_readonly("info", &info_of)
      .def_property_readonly("names",
                             [](const Model& model) {
                               return std::visit([](const auto& d) { return d.names; },
                                                 model.decision());
                             })
      .def_property_readonly("boolean",
                             [](const Model& model) {
                               const auto* d = std::get_if<ClassDecision>(&model.decision());
                               return d != nullptr && d->boolean;
                             })
      .def_property_readonly("prior", [](const Model& model) -> py::object {
        const auto* d = std::get_if<ClassDecision>(&model.decision());
        if (d == nullptr) return py::none();
        return to_numpy(d->prior);
      });
}

}  // namespace stkr::python
