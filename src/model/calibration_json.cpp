#include "model/calibration_json.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

// Under a key of its own: earlier readers know one temperature, as `calibration`, and
// take these models for uncalibrated ones.
constexpr const char* kCalibration = "calibration_average";
constexpr std::pair<Calibration::Form, const char*> kForms[] = {
    {Calibration::Form::power, "power"},
    {Calibration::Form::logarithm, "logarithm"},
    {Calibration::Form::shares, "shares"}};

json calibration_to_json(const Calibration& calibration) {
  json members = json::array();
  for (const Calibration::Member& member : calibration.members) {
    const auto* form = std::find_if(std::begin(kForms), std::end(kForms),
                                    [&](const auto& named) { return named.first == member.form; });
    members.push_back({form->second, member.parameter, member.temperature, member.weight});
  }
  return {{"members", std::move(members)},
          {"size", calibration.size},
          {"prior", calibration.prior},
          {"unreached", calibration.unreached},
          {"conformity", calibration.conformity}};
}

Calibration::Member member_from_json(const json& tree) {
  for (const auto& [form, name] : kForms) {
    if (tree.at(0) != name) continue;
    return {form, tree.at(1).get<double>(), tree.at(2).get<double>(), tree.at(3).get<double>()};
  }
  throw ValueError("calibration: unknown form of probabilities");
}

// Of earlier models.
Calibration calibration_of_one_temperature(const json& tree) {
  const double temperature = tree.at("temperature").get<double>();
  Calibration result;
  result.members.push_back(
      tree.at("by_shares").get<bool>()
          ? Calibration::Member{Calibration::Form::shares, 0.0, temperature, 1.0}
          : Calibration::Member{Calibration::Form::power, 0.25, temperature, 1.0});
  result.conformity = tree.at("conformity").get<std::vector<double>>();
  return result;
}

Calibration calibration_average_from_json(const json& tree) {
  Calibration result;
  for (const json& member : tree.at("members")) result.members.push_back(member_from_json(member));
  result.size = tree.at("size").get<double>();
  result.prior = tree.at("prior").get<std::vector<double>>();
  result.unreached = tree.at("unreached").get<std::vector<double>>();
  result.conformity = tree.at("conformity").get<std::vector<double>>();
  return result;
}

void check_calibration(const Calibration& calibration, std::size_t classes) {
  const auto probabilities = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double p) { return p >= 0.0 && p <= 1.0; });
  };
  const auto& members = calibration.members;
  const bool sound = std::all_of(members.begin(), members.end(), [](const auto& member) {
    return std::isfinite(member.temperature) && member.temperature >= 0.0 &&
           std::isfinite(member.parameter) && member.parameter >= 0.0 && member.weight >= 0.0 &&
           member.weight <= 1.0;
  });
  const auto fits = [classes](const std::vector<double>& values) {
    return values.empty() || values.size() == classes;
  };
  if (members.empty() || !sound || !(calibration.size > 0.0) || !std::isfinite(calibration.size) ||
      !fits(calibration.prior) || !fits(calibration.unreached) ||
      !probabilities(calibration.prior) || !probabilities(calibration.unreached) ||
      !probabilities(calibration.conformity) ||
      !std::is_sorted(calibration.conformity.begin(), calibration.conformity.end())) {
    throw ValueError("calibration: expected temperatures, weights and ascending probabilities");
  }
}

}  // namespace

void add_calibration(const std::optional<Calibration>& calibration, json& decision) {
  if (calibration) decision[kCalibration] = calibration_to_json(*calibration);
}

std::optional<Calibration> calibration_from_json(const json& decision, std::size_t classes) {
  std::optional<Calibration> result;
  if (decision.contains(kCalibration)) {
    result = calibration_average_from_json(decision[kCalibration]);
  } else if (decision.contains("calibration")) {
    result = calibration_of_one_temperature(decision["calibration"]);
  }
  if (result) check_calibration(*result, classes);
  return result;
}

}  // namespace stkr
