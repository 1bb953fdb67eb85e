#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "reproduction/theory.hpp"

namespace stkr::app {

// A run of the library's `theory_tables`.
struct TheoryReport {
  std::vector<TheoryTable> tables{};
  int repetitions = 0;
  std::uint64_t seed = 0;
  double delta = 0.0;
  double seconds = 0.0;

  bool holds() const;
};

std::string theory_text(const TheoryReport& report);
nlohmann::json theory_json(const TheoryReport& report);

// Measured values and bounds over the number of samples, log-log; empty if the table has none.
std::string theory_figure(const TheoryTable& table);

}  // namespace stkr::app
