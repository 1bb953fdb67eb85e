#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "plan/run_time.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr::app {

// What `stkr plan` says.
struct PlanReport {
  std::string name;    // of the data, with a colon; may be empty
  ProblemShape shape;  // of the whole problem; that of the plan is what one process has of it
  Index ranks = 0;     // processes that share it; 0: no engine
  Plan plan;
  RunTime time;
  std::optional<std::string> hint{};
};

void print_plan(const PlanReport& report);
nlohmann::json plan_json(const PlanReport& report);

}  // namespace stkr::app
