#include "model/calibration_json.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "stkr/error.hpp"

namespace stkr::calibration_json_test {
namespace {

TEST(CalibrationJson, IsReadAsItWasWritten) {
  Calibration calibration{{{Calibration::Form::power, 0.25, 3.0, 0.6},
                           {Calibration::Form::logarithm, 0.1, 1.0 / 3.0, 0.38}}};
  calibration.size = 1e-7;
  calibration.prior = {0.75, 0.25};
  calibration.unreached = {0.6, 0.4};
  calibration.conformity = {0.1, 0.9};
  nlohmann::json decision;
  add_calibration(calibration, decision);
  const nlohmann::json read = nlohmann::json::parse(decision.dump());
  EXPECT_EQ(calibration_from_json(read, 2), calibration);
  // A reader that knows one temperature finds none.
  EXPECT_FALSE(read.contains("calibration"));
}

TEST(CalibrationJson, ProbabilitiesOfEarlierModelsAreRead) {
  const std::optional<Calibration> of_scores = calibration_from_json(
      nlohmann::json::parse(
          R"({"calibration": {"by_shares": false, "temperature": 2, "conformity": [0.5, 0.9]}})"),
      2);
  ASSERT_TRUE(of_scores);
  const Matrix scores = (Matrix(1, 2) << 0.2, -0.2).finished();
  const double length = std::sqrt(2.0) * 0.2;
  const double z = 0.2 / std::pow(length, 0.75);  // g/|g|^(3/4)
  EXPECT_NEAR(calibrated(*of_scores, scores)(0, 0), 1.0 / (1.0 + std::exp(-4.0 * z)), 1e-12);
  EXPECT_EQ(largest_coverage(*of_scores), 2.0 / 3.0);
  const std::optional<Calibration> of_shares = calibration_from_json(
      nlohmann::json::parse(
          R"({"calibration": {"by_shares": true, "temperature": 1, "conformity": []}})"),
      2);
  const Matrix positive = (Matrix(1, 2) << 3.0, 1.0).finished();
  EXPECT_NEAR(calibrated(*of_shares, positive)(0, 0), 0.75, 1e-12);
  EXPECT_FALSE(calibration_from_json(nlohmann::json::object(), 2));
}

TEST(CalibrationJson, DamagedProbabilitiesAreAnError) {
  const auto with = [](const char* members, const char* prior) {
    return nlohmann::json::parse(std::string(R"({"calibration_average": {"members": )") + members +
                                 R"(, "size": 1, "unreached": [], "conformity": [0.5], "prior": )" +
                                 prior + "}}");
  };
  EXPECT_TRUE(calibration_from_json(with(R"([["power", 1, 2, 0.5]])", "[0.5, 0.5]"), 2));
  EXPECT_THROW(calibration_from_json(with("[]", "[]"), 2), ValueError);
  EXPECT_THROW(calibration_from_json(with(R"([["cubic", 1, 2, 0.5]])", "[]"), 2), ValueError);
  EXPECT_THROW(calibration_from_json(with(R"([["power", 1, -2, 0.5]])", "[]"), 2), ValueError);
  EXPECT_THROW(calibration_from_json(with(R"([["power", 1, 2, 0.5]])", "[1]"), 2), ValueError);
}

}  // namespace
}  // namespace stkr::calibration_json_test
