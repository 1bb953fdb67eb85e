#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stkr/matrix.hpp"
#include "stkr/selection/setting.hpp"

namespace stkr {

// The experiments of the paper as printed, to be compared with: its appendix "Experiments".

// One row of its table of data sets (`table: data summary`), and where to get the graph.
struct PaperDataset {
  std::string_view name;   // "photo"
  std::string_view title;  // "Amazon Photo"
  Index classes;
  Index nodes;
  Index edges;  // directed: an undirected edge counts twice
  Index train;  // sizes of the labeled sets
  Index val;
  std::string_view source;  // repository and file
};

// All nine, in the order of the columns of the paper's tables of results.
std::span<const PaperDataset> paper_datasets();

// Throws ValueError, with the names there are.
const PaperDataset& paper_dataset(std::string_view name);

// The rows of its tables, and one that stkr adds: kernel PCA whose d counts in the part of the
// graph that labels reach, where the paper's counts in all of it.
enum class PaperMethod {
  label_propagation,
  laplacian,
  polynomial,
  top_d,
  top_d_reached,
  kernel_ridge
};

// "LP", "SP-Lap", "SP-poly", "SP-topd", "SP-topd-reached", "KRR".
const char* to_string(PaperMethod method);

// Accuracy on the test set in per cent, over ten seeds. The standard deviation is that of a sample,
// divided by nine: the paper does not say so, but where there are few test nodes its numbers are
// possible in no other way (see the tests).
inline constexpr int kPaperSeeds = 10;
struct PaperValue {
  double mean = 0.0;
  double std = 0.0;
};

// `table: experiment test acc`, with 1% of the nodes in the test set. Nothing where the paper has
// no such row: label propagation is transductive only, kernel ridge regression inductive only, and
// top_d_reached is none of its methods.
std::optional<PaperValue> paper_accuracy(std::string_view dataset, Setting setting,
                                         PaperMethod method);

// `table: inductive inv s`: the inductive setting for larger test sets. Nothing for other methods
// than Lap, poly and topd, and other shares than these.
inline constexpr double kPaperTestShares[] = {0.01, 0.05, 0.1, 0.2, 0.3};
std::optional<PaperValue> paper_p_test_accuracy(std::string_view dataset, double p_test,
                                                PaperMethod method);

}  // namespace stkr
