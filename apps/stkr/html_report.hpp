#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stkr::app {

// Our result and the paper's, both in per cent.
struct ReportCell {
  std::optional<double> mean;  // none: not run, or failed
  std::optional<double> std;
  std::optional<double> paper_mean;
  std::optional<double> paper_std;
  std::optional<double> difference;  // ours minus the paper's
  std::optional<double> low, high;   // its interval; none for a single seed
  int rank = 0;                      // 1 best, 2 second best among those of ReportTable::ranked
  int seeds = 0;
  std::string note;
};

struct ReportRow {
  std::string group;  // rows that follow one another with the same group share a heading
  std::string label;
  std::vector<ReportCell> cells;  // one for each column
  bool counted = true;            // in the tally above the table
};

struct ReportTable {
  std::string title;
  std::string caption;
  std::string row_head;  // above the labels: "Method"
  std::vector<std::string> column_heads;
  std::vector<ReportRow> rows;
  std::string ranked = "of its column";  // what the best is the best of
};

struct ReportFigure {
  std::string title;
  std::string caption;
  std::string svg;    // an <svg> element of render_svg: the one text that is not escaped
  bool wide = false;  // takes a whole row of the page: large grids
};

struct Report {
  std::string title;
  std::vector<std::string> intro;  // paragraphs
  std::vector<ReportTable> tables;
  std::vector<ReportFigure> figures;
  std::vector<std::pair<std::string, std::string>> facts;  // versions, seeds, times, the command
  std::vector<std::string> notes;
  std::vector<std::string> failures;
};

// One page that needs nothing else: no scripts, no other files. Light or dark as the reader's
// system, and readable on a phone: wide tables scroll by themselves.
std::string render_html(const Report& report);

}  // namespace stkr::app
