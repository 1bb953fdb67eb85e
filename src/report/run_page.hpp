#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/html_parts.hpp"
#include "report/picture.hpp"
#include "stkr/dataset/labels.hpp"
#include "stkr/estimator/decision.hpp"

namespace stkr::report {

// Class sizes: of the labels, of the answers and of the prior, in the order of the names.
struct ClassShares {
  std::vector<std::string> names{};
  std::vector<Index> labels{};
  std::vector<Index> answers{};
  std::vector<double> prior{};  // shares; empty: not shown
};

// How often each class was answered for each true class.
struct Confusion {
  std::string title{};
  std::vector<std::string> names{};
  std::vector<std::vector<Index>> counts{};  // [truth][answer]
};

// A sample to look at.
struct ShownSample {
  std::string name{};     // "17", or as the data names it
  std::string answer{};   // "3 (52%), or 5 (41%)"
  std::string truth{};    // empty: unknown
  std::string picture{};  // picture_source; empty: none
};

struct PageTable {
  std::string title{};
  std::vector<std::vector<std::string>> rows{};  // the header first
};

// A page about a user's own run. What is empty is left out.
struct RunPage {
  std::string title{};
  std::vector<std::string> intro{};
  std::vector<std::string> warnings{};
  Facts scores{};  // how good it is
  std::vector<PageTable> tables{};
  std::optional<ClassShares> shares{};
  std::vector<Confusion> confusions{};
  Facts evidence{};
  std::vector<ShownSample> uncertain{};
  std::vector<ReportFigure> figures{};
  std::vector<std::string> notes{};
  Facts facts{};  // how to repeat it
};

// One self-contained page: no scripts, no other files. It follows the system's light or dark mode
// and is readable on a phone. Its size does not grow with the number of samples or classes.
std::string render_html(const RunPage& page);

// A page about a selection and the fit of its choice: the selection's title, and the parts of both.
RunPage joined(RunPage selection, RunPage fit);

// The confusion of predictions for `samples`, in that order, with their labels in `truth`.
Confusion confusion_of(std::string title, const Labels& truth, const std::vector<Index>& samples,
                       const std::vector<Index>& answers);

// "93.2%"; "99.97%" near 100%.
std::string percent(double share);
// 1234567 as "1,234,567".
std::string counted(long long value);
// "1 sample", "12 samples".
std::string counted(long long value, const char* what);

}  // namespace stkr::report
