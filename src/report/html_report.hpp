#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html_parts.hpp"

namespace stkr::report {

// Our result and the paper's, both in percent.
struct ReportCell {
  std::optional<double> mean;  // none: not run, or failed
  std::optional<double> std;
  std::optional<double> paper_mean;
  std::optional<double> paper_std;
  std::optional<double> difference;  // ours minus the paper's
  std::optional<double> low, high;   // its interval; none for a single seed
  int rank = 0;                      // 1 best, 2 second best within ReportTable::ranked
  int seeds = 0;
  std::string note;
};

struct ReportRow {
  std::string group;  // consecutive rows of one group share a heading
  std::string label;
  std::vector<ReportCell> cells;  // one per column
  bool counted = true;            // in the tally above the table
};

struct ReportTable {
  std::string title;
  std::string caption;
  std::string row_head;  // above the labels: "Method"
  std::vector<std::string> column_heads;
  std::vector<ReportRow> rows;
  std::string ranked = "of its column";  // the scope of the ranking
};

struct Report {
  std::string title;
  std::vector<std::string> intro;  // paragraphs
  std::vector<ReportTable> tables;
  std::vector<ReportFigure> figures;
  Facts facts;  // versions, seeds, times, the command
  std::vector<std::string> notes;
  std::vector<std::string> failures;
};

// One self-contained page: no scripts, no other files. It follows the system's light or dark mode
// and is readable on a phone: wide tables scroll separately.
std::string render_html(const Report& report);

}  // namespace stkr::report
