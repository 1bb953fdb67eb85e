#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "stkr/matrix.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// The results of the paper's experiments as printed in its appendix "Experiments", for comparison.

// One row of the paper's table of data sets (`table: data summary`), and the source of the graph.
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

// All nine, in the column order of the paper's result tables.
std::span<const PaperDataset> paper_datasets();

// Throws ValueError, with the available names, if the paper has no data set of this name.
const PaperDataset& paper_dataset(std::string_view name);

// The rows of the paper's tables, and one that stkr adds: kernel PCA whose d counts eigenvalues in
// the part of the graph connected to labels instead of the whole graph.
enum class PaperMethod {
  label_propagation,
  laplacian,
  polynomial,
  top_d,
  top_d_reached,
  kernel_ridge
};
inline constexpr PaperMethod kPaperMethods[] = {
    PaperMethod::label_propagation, PaperMethod::laplacian,
    PaperMethod::polynomial,        PaperMethod::top_d,
    PaperMethod::top_d_reached,     PaperMethod::kernel_ridge};

// "LP", "SP-Lap", "SP-poly", "SP-topd", "SP-topd-reached", "KRR".
const char* to_string(PaperMethod method);
// Throws ValueError, with the available names, for any other name.
PaperMethod paper_method(std::string_view name);

// Accuracy on the test set in percent, over ten seeds. The standard deviation is the sample
// standard deviation, divided by nine: the paper does not say so, but for small test sets its
// values are not possible otherwise (see the tests).
inline constexpr int kPaperSeeds = 10;
struct PaperValue {
  double mean = 0.0;
  double std = 0.0;
};

// `table: experiment test acc`, with 1% of the nodes in the test set. nullopt if the paper has no
// such row: label propagation is transductive only, kernel ridge regression is inductive only, and
// top_d_reached is not in the paper.
std::optional<PaperValue> paper_accuracy(std::string_view dataset, Setting setting,
                                         PaperMethod method);

// `table: inductive inv s`: the inductive setting for larger test sets. nullopt for methods other
// than Lap, poly and topd, and for shares other than these.
inline constexpr double kPaperTestShares[] = {0.01, 0.05, 0.1, 0.2, 0.3};
std::optional<PaperValue> paper_p_test_accuracy(std::string_view dataset, double p_test,
                                                PaperMethod method);

}  // namespace stkr
