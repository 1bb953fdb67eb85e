#include "kept_system.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "arrays.hpp"
#include "interruptible.hpp"
#include "module.hpp"
#include "new_arrays.hpp"
#include "stkr/error.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr::python {
namespace {

constexpr Index kNewAtOnce = 1024;  // a question about them needs N numbers for each

py::array_t<std::int64_t> to_indices(const std::vector<Index>& values) {
  py::array_t<std::int64_t> result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.mutable_data());
  return result;
}

py::array_t<double> variances_of_known(const KeptSystem& kept, const py::array& samples) {
  const std::vector<Index> known = indices_from(samples, "samples");
  return to_numpy(interruptible([&](std::stop_token cancel) {
    return posterior(*kept.system, known, {}, kept.with(std::move(cancel))).variance;
  }));
}

// The posterior of many new samples, prepared once for all questions.
const PreparedPosterior& prepared_posterior(const KeptSystem& kept, const Context& context) {
  const std::lock_guard lock(kept.prepared->mutex);
  auto& posterior = kept.prepared->posterior;
  if (!posterior) posterior.emplace(*kept.system, PosteriorOptions{}, context);
  return *posterior;
}

py::array_t<double> variances_of_new(const KeptSystem& kept, const NewArrays& samples) {
  PosteriorOptions options;
  const bool exact =
      kept.system->size() <= options.exact_size || samples.count() <= options.exact_samples;
  options.exact_samples = kNewAtOnce;  // however many parts there are
  return to_numpy(interruptible([&](std::stop_token cancel) {
    Matrix result(samples.count(), kept.system->targets.y.cols());
    const Context context = kept.with(cancel);
    for_parts(
        samples, cancel,
        [&](const NewSamples& part, Index first) {
          const Posterior some = exact ? posterior(*kept.system, part, options, context)
                                       : prepared_posterior(kept, context)(part, context);
          result.middleRows(first, some.variance.rows()) = some.variance;
        },
        kNewAtOnce);
    return result;
  }));
}

py::tuple ends(Intervals intervals) {
  return py::make_tuple(to_numpy(std::move(intervals.lower)), to_numpy(std::move(intervals.upper)));
}

py::tuple intervals_of_known(const KeptSystem& kept, const py::array& samples, double coverage) {
  const std::vector<Index> known = indices_from(samples, "samples");
  return ends(interruptible([&](std::stop_token cancel) {
    return jackknife_intervals(*kept.system, known, coverage, kept.with(std::move(cancel)));
  }));
}

py::tuple intervals_of_new(const KeptSystem& kept, const NewArrays& samples, double coverage) {
  return ends(interruptible([&](std::stop_token cancel) {
    const Index outputs = kept.system->targets.y.cols();
    Intervals result{Matrix(samples.count(), outputs), Matrix(samples.count(), outputs)};
    for_parts(samples, cancel, [&](const NewSamples& part, Index first) {
      const Intervals some = jackknife_intervals(*kept.system, part, coverage, kept.with(cancel));
      result.lower.middleRows(first, some.lower.rows()) = some.lower;
      result.upper.middleRows(first, some.upper.rows()) = some.upper;
    });
    return result;
  }));
}

// Transforms, each with its relative ridges.
std::vector<std::pair<SpectralTransform, std::vector<double>>> terms_of_system(
    const KeptSystem& kept) {
  std::vector<std::pair<SpectralTransform, std::vector<double>>> result;
  for (const AverageTerm& term : kept.system->terms) {
    std::vector<double> ridges;
    for (const AverageTerm::Part& part : term.parts) ridges.push_back(part.ridge);
    result.emplace_back(term.transform, std::move(ridges));
  }
  return result;
}

SuggestionCriterion criterion_from(const std::string& name) {
  if (name == "error") return SuggestionCriterion::error;
  if (name == "variance") return SuggestionCriterion::variance;
  if (name == "survey") return SuggestionCriterion::survey;
  throw ValueError(fmt::format("criterion '{}'; expected error, variance or survey", name));
}

py::array_t<std::int64_t> suggested(const KeptSystem& kept, const py::array& classes,
                                    const py::array_t<double>& doubt, Index count,
                                    const std::string& criterion, bool balance) {
  PresentPredictions predicted{indices_from(classes, "classes"), Vector(doubt.size())};
  for (Index i = 0; i < doubt.size(); ++i) predicted.doubt[i] = doubt.at(i);
  SuggestOptions options;
  options.count = count;
  options.criterion = criterion_from(criterion);
  options.balance = balance;
  const std::vector<Suggestion> found = interruptible([&](std::stop_token cancel) {
    return suggest(*kept.system, predicted, options, kept.with(std::move(cancel)));
  });
  std::vector<Index> samples;
  for (const Suggestion& one : found) samples.push_back(one.sample);
  return to_indices(samples);
}

py::dict contributions_dict(Contributions found) {
  py::dict result;
  result["by_label"] = to_numpy(std::move(found.by_label));
  result["constant"] = to_numpy(found.constant);
  result["score"] = to_numpy(found.score);
  result["through"] = to_indices(found.through);
  result["by_sample"] = to_numpy(std::move(found.by_sample));
  result["radius"] = found.radius;
  return result;
}

py::dict contributions_to_known(const KeptSystem& kept, Index sample, Index through) {
  return contributions_dict(interruptible([&](std::stop_token cancel) {
    return contributions(*kept.system, sample, through, kept.with(std::move(cancel)));
  }));
}

py::dict contributions_to_new(const KeptSystem& kept, const NewArrays& sample, Index through) {
  return contributions_dict(interruptible([&](std::stop_token cancel) {
    return contributions(*kept.system, sample.slice(0, sample.count()), through,
                         kept.with(std::move(cancel)));
  }));
}

}  // namespace

void bind_kept_system(py::module_& module) {
  py::class_<KeptSystem>(module, "FittedSystem")
      .def("__len__", [](const KeptSystem& kept) { return kept.system->size(); })
      .def_property_readonly(
          "labeled",
          [](const KeptSystem& kept) { return to_indices(kept.system->targets.labeled); })
      .def_property_readonly(
          "y", [](const KeptSystem& kept) { return to_numpy(Matrix(kept.system->targets.y)); })
      .def_property_readonly("constant",
                             [](const KeptSystem& kept) { return kept.system->targets.constant; })
      .def_property_readonly("terms", &terms_of_system)
      .def("variances_of_known", &variances_of_known, py::arg("samples"))
      .def("variances_of_new", &variances_of_new, py::arg("samples"))
      .def("intervals_of_known", &intervals_of_known, py::arg("samples"), py::arg("coverage"))
      .def("intervals_of_new", &intervals_of_new, py::arg("samples"), py::arg("coverage"))
      .def("suggest", &suggested, py::arg("classes"), py::arg("doubt"), py::arg("count"),
           py::arg("criterion"), py::arg("balance"))
      .def("contributions_to_known", &contributions_to_known, py::arg("sample"), py::arg("through"))
      .def("contributions_to_new", &contributions_to_new, py::arg("sample"), py::arg("through"));
}

}  // namespace stkr::python
