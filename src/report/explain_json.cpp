#include "report/explain_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

namespace stkr::report {
namespace {

using nlohmann::json;

// JSON has no infinity.
json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

json decay_json(const EigenvalueDecay& decay) {
  return {{"p", decay.p},
          {"lower", decay.lower},
          {"upper", decay.upper},
          {"determined", decay.determined},
          {"r_squared", decay.r_squared},
          {"finding", decay.finding}};
}

json kernel_json_of(const Explanation& found) {
  const KernelFacts& kernel = found.kernel;
  json result{
      {"description", kernel.description},
      {"samples", kernel.samples},
      {"analyzed", kernel.analyzed},
      {"eigenvalues", std::vector<double>(kernel.eigenvalues.begin(), kernel.eigenvalues.end())},
      {"smallest_eigenvalue", kernel.definiteness.smallest},
      {"largest_eigenvalue", kernel.definiteness.largest},
      {"semidefinite", kernel.definiteness.semidefinite},
      {"negative_share", kernel.definiteness.negative.value},
      {"remedy", kernel.definiteness.remedy},
      {"kappa_squared", kernel.bound.kappa_squared},
      {"decay", decay_json(kernel.decay)}};
  if (kernel.reach) {
    result["components"] = {{"count", kernel.reach->components()},
                            {"without_label", kernel.reach->components_without_label()},
                            {"samples_without_label", kernel.reach->samples_without_label()}};
  }
  json density = json::array();
  const double low = kernel.definiteness.smallest, high = kernel.definiteness.largest;
  for (int k = 0; k <= 20 && kernel.density.size > 0; ++k) {
    const double lambda = low + (high - low) * k / 20.0;
    const Estimate above = kernel.density.count_above(lambda);
    density.push_back(
        {{"lambda", lambda},
         {"share_above", above.value / static_cast<double>(kernel.density.size)},
         {"standard_error", above.standard_error / static_cast<double>(kernel.density.size)}});
  }
  result["density"] = std::move(density);
  return result;
}

json band_json(const EnergyBand& band) {
  return {{"first", band.first},
          {"last", band.last},
          {"largest_eigenvalue", band.largest},
          {"smallest_eigenvalue", band.smallest},
          {"share", band.share},
          {"standard_error", band.standard_error}};
}

json curve_json(const LearningCurve& curve) {
  json points = json::array();
  for (const CurvePoint& point : curve.points) {
    points.push_back({{"amount", point.amount},
                      {"error", point.error},
                      {"standard_error", point.standard_error},
                      {"draws", point.draws}});
  }
  json result{{"points", std::move(points)}};
  if (curve.gain) {
    result["gain_of_last_doubling"] = *curve.gain;
    result["gain_standard_error"] = curve.gain_error;
  }
  if (!curve.unknown.empty()) result["unknown"] = curve.unknown;
  return result;
}

json suggestion_json(const SuggestedFit& fit) {
  json smoothness = json::array();
  for (const Smoothness& one : fit.smoothness) {
    smoothness.push_back({{"p", one.p}, {"ratio", number(one.ratio)}});
  }
  return {{"transform", fit.transform.describe()},
          {"ridge", fit.ridge},
          {"beta", fit.beta},
          {"decay", decay_json(fit.decay)},
          {"effective_dimension", fit.effective_dimension},
          {"norm_squared", fit.norm_squared},
          {"mean_square", fit.mean_square},
          {"epsilon", number(fit.epsilon())},
          {"sigma", fit.noise},
          {"largest_miss", fit.largest_miss},
          {"smoothness", std::move(smoothness)}};
}

json bound_json(const Bound& bound) {
  json inputs = json::object(), assumptions = json::array();
  for (const BoundInput& input : bound.inputs) inputs[input.name] = number(input.value);
  for (const Assumption& one : bound.assumptions) {
    json entry{{"name", one.name}, {"reason", one.reason}, {"holds", nullptr}};
    if (one.holds) entry["holds"] = *one.holds;
    assumptions.push_back(std::move(entry));
  }
  return {{"name", bound.name},
          {"label", bound.label},
          {"quantity", bound.quantity},
          {"lower", bound.lower},
          {"value", number(bound.value)},
          {"constant_unknown", bound.constant_unknown},
          {"trivial", number(bound.trivial)},
          {"holds_with_probability", bound.probability},
          {"vacuous", bound.vacuous()},
          {"inputs", std::move(inputs)},
          {"assumptions", std::move(assumptions)},
          {"verdict", bound.verdict()}};
}

}  // namespace

json explanation_json(const Explanation& found) {
  json result{
      {"verdict", found.verdict},        {"task", found.classes ? "classification" : "regression"},
      {"labels", found.labels},          {"labels_used", found.labels_used},
      {"kernel", kernel_json_of(found)}, {"notes", found.notes},
      {"seconds", found.seconds}};
  json bands = json::array();
  for (const EnergyBand& band : found.energy.bands) bands.push_back(band_json(band));
  result["energy"] = {{"bands", std::move(bands)}, {"variance", found.energy.variance}};
  if (found.energy.rest.count() > 0) result["energy"]["rest"] = band_json(found.energy.rest);
  if (!found.energy.unknown.empty()) result["energy"]["unknown"] = found.energy.unknown;
  for (const PlausibleTransform& one : found.advice.candidates) {
    result["plausible_transforms"].push_back(
        {{"transform", one.transform.describe()}, {"misfit", one.misfit}});
  }
  if (found.suggestion) result["suggestion"] = suggestion_json(*found.suggestion);
  for (const ComparedFit& fit : found.compared) {
    json entry{{"name", fit.name},
               {"error", fit.error},
               {"standard_error", fit.standard_error},
               {"more_than_suggestion", fit.more},
               {"more_standard_error", fit.more_error}};
    if (fit.hidden_error) entry["hidden_error"] = *fit.hidden_error;
    result["compared"].push_back(std::move(entry));
  }
  result["with_labels"] = curve_json(found.with_labels);
  result["with_samples"] = curve_json(found.with_samples);
  for (const Bound& bound : found.bounds) result["bounds"].push_back(bound_json(bound));
  if (found.cross_fit) {
    result["cross_fit"] = {{"estimate", found.cross_fit->estimate},
                           {"adjusted", found.cross_fit->adjusted},
                           {"standard_error", found.cross_fit->standard_error}};
  }
  for (const auto& [part, why] : found.missing) {
    result["missing"].push_back({{"part", part}, {"why", why}});
  }
  return result;
}

std::string explanation_text(const Explanation& found) { return explanation_json(found).dump(); }

}  // namespace stkr::report
