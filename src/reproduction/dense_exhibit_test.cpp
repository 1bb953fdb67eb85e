#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "dataset/save_dataset.hpp"
#include "dense_reference.hpp"
#include "reproduction/exhibit.hpp"
#include "reproduction/paper_graph.hpp"
#include "reproduction/paper_split.hpp"
#include "stkr/dataset/generators.hpp"
#include "temporary_folder.hpp"

// Compares cells of the accuracy table, from the file to the percentage, with explicit matrices.
// The grid, the kernel, the estimators and the choice are reimplemented here; only the random split
// and the matrix types are shared with the library.
namespace stkr::dense_exhibit_test {
namespace {

using reference::columns_of;
using reference::rows_of;
using reference::Samples;

constexpr double kBetas[] = {1e3, 1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
constexpr double kEtas[] = {0.7, 0.8, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999};
constexpr Index kDimensions[] = {32, 64, 128, 256, 512};
constexpr int kSteps[] = {1, 2, 4, 8, 16, 32};
constexpr double kTestShare = 0.2;
constexpr std::uint64_t kSeed = 4;

// Four blocks of 100 nodes, and 100 pairs that are not connected to other nodes.
Dataset blocks_and_pairs() {
  Dataset dataset =
      stochastic_block_model(std::array<Index, 4>{100, 100, 100, 100}, 0.12, 0.02, 11);
  CsrMatrix& adjacency = std::get<Graph>(dataset.samples).adjacency;
  ClassLabels labels = std::get<ClassLabels>(dataset.truth);
  std::vector<Triplet> edges;
  for (Index i = 0; i < adjacency.rows; ++i) {
    for (std::int64_t k = adjacency.row_start[i]; k < adjacency.row_start[i + 1]; ++k) {
      edges.push_back({static_cast<std::int32_t>(i), adjacency.column[k], 1.0});
    }
  }
  for (std::int32_t i = 400; i < 600; i += 2) {
    edges.push_back({i, i + 1, 1.0});
    edges.push_back({i + 1, i, 1.0});
    labels.code.push_back(i / 2 % 4);
    labels.code.push_back(i / 2 % 4);
  }
  adjacency = csr_from_triplets(600, 600, edges);
  dataset.labels = dataset.truth = labels;
  return dataset;
}

// The nodes seen at training time, and the nodes to predict: validation nodes, then test nodes.
struct Problem {
  Matrix kernel;  // N D^(-1/2) W D^(-1/2) of the seen nodes
  Matrix rows;    // the same between the nodes to predict and the seen nodes
  Matrix y;       // one row per seen node; zero without a label
  Samples train;  // indices among the seen nodes
  std::vector<int> truth;
  std::size_t validation_nodes;
  std::vector<char> reached;  // whether a path connects a seen node to a label

  Problem(const Dataset& dataset, const FourWaySplit& split, Setting setting) {
    const CsrMatrix& a = dataset.graph().adjacency;
    Matrix w = Matrix::Zero(a.rows, a.rows);
    for (Index i = 0; i < a.rows; ++i) {
      for (std::int64_t k = a.row_start[i]; k < a.row_start[i + 1]; ++k) w(i, a.column[k]) = 1.0;
    }
    Samples seen, asked = split.val;
    asked.insert(asked.end(), split.test.begin(), split.test.end());
    for (Index i = 0; i < a.rows; ++i) {
      const bool is_asked = std::find(asked.begin(), asked.end(), i) != asked.end();
      if (setting == Setting::transductive || !is_asked) seen.push_back(i);
    }
    const Matrix known = rows_of(columns_of(w, seen), seen),
                 fresh = rows_of(columns_of(w, seen), asked);
    const auto factor = [](const Matrix& weights) {
      Vector result = weights.rowwise().sum();
      for (double& d : result) d = d > 0.0 ? 1.0 / std::sqrt(d) : 0.0;
      return result;
    };
    const auto size = static_cast<double>(seen.size());
    kernel = size * (factor(known).asDiagonal() * known * factor(known).asDiagonal());
    rows = size * (factor(fresh).asDiagonal() * fresh * factor(known).asDiagonal());
    const auto& classes = std::get<ClassLabels>(dataset.truth);
    y = Matrix::Zero(static_cast<Index>(seen.size()), 4);
    for (std::size_t k = 0; k < seen.size(); ++k) {
      if (std::find(split.train.begin(), split.train.end(), seen[k]) == split.train.end()) continue;
      train.push_back(static_cast<Index>(k));
      y(static_cast<Index>(k), classes.code[seen[k]]) = 1.0;
    }
    for (const Index i : asked) truth.push_back(classes.code[i]);
    validation_nodes = split.val.size();
    reached.assign(seen.size(), 0);
    for (const Index i : train) reached[i] = 1;
    for (bool more = true; more;) {
      more = false;
      for (Index i = 0; i < kernel.rows(); ++i) {
        for (Index j = 0; j < kernel.rows(); ++j) {
          if (!reached[i] || reached[j] || kernel(i, j) == 0.0) continue;
          reached[j] = more = true;
        }
      }
    }
  }

  Index size() const { return kernel.rows(); }
  Matrix s() const { return kernel / static_cast<double>(size()); }
};

struct Accuracy {
  double validation = -1.0;
  double test = -1.0;
};

// Predicts the argmax; for zeros it is class 0.
Accuracy accuracy_of(const Problem& problem, const Matrix& f) {
  const double floor = 1e-10 * f.cwiseAbs().maxCoeff();
  std::array<double, 2> right{}, all{};
  for (Index i = 0; i < f.rows(); ++i) {
    Index answer = 0;
    if (f.row(i).cwiseAbs().maxCoeff() > floor) f.row(i).maxCoeff(&answer);
    const int part = static_cast<std::size_t>(i) < problem.validation_nodes ? 0 : 1;
    right[part] += answer == problem.truth[i];
    all[part] += 1.0;
  }
  return {right[0] / all[0], right[1] / all[1]};
}

void keep_better(Accuracy& best, const Accuracy& next) {
  if (next.validation > best.validation) best = next;
}

// f = K_s(asked, train) (K_s(train, train) + nβI)⁻¹ y for every β. Returns the first of the best.
Accuracy best_ridge(const Problem& problem, const Matrix& labeled, const Matrix& asked) {
  const auto n = static_cast<double>(problem.train.size());
  Accuracy best;
  for (const double beta : kBetas) {
    Matrix a = labeled;
    a.diagonal().array() += n * beta;
    keep_better(
        best, accuracy_of(problem, asked * a.fullPivLu().solve(rows_of(problem.y, problem.train))));
  }
  return best;
}

// s(λ) = λ g(λ): K_s = K g(S), and K(x, ·) g(S) for nodes to predict.
Accuracy best_transformed(const Problem& problem, const Matrix& g) {
  return best_ridge(problem, rows_of(columns_of(problem.kernel * g, problem.train), problem.train),
                    columns_of(problem.rows * g, problem.train));
}

Accuracy power_cell(const Problem& problem, int p) {
  Matrix g = Matrix::Identity(problem.size(), problem.size());
  for (int k = 1; k < p; ++k) g = (g * problem.s()).eval();
  return best_transformed(problem, g);
}

// s(λ) = λ/(1 - ηλ)
Accuracy laplacian_cell(const Problem& problem) {
  const Matrix one = Matrix::Identity(problem.size(), problem.size());
  Accuracy best;
  for (const double eta : kEtas) {
    keep_better(best, best_transformed(problem, (one - eta * problem.s()).fullPivLu().inverse()));
  }
  return best;
}

// Ŷ ← ηSŶ + Ỹ, T times. Transductive: the nodes to predict are seen.
Accuracy propagation_cell(const Problem& problem, const Samples& asked) {
  Accuracy best;
  for (const double eta : kEtas) {
    Matrix scores = problem.y;
    for (int t = 1; t <= 32; ++t) {
      scores = (eta * problem.s() * scores + problem.y).eval();
      if (std::find(std::begin(kSteps), std::end(kSteps), t) == std::end(kSteps)) continue;
      keep_better(best, accuracy_of(problem, rows_of(scores, asked)));
    }
  }
  return best;
}

// Kernel PCA: eigenvectors of K over the unlabeled nodes, all or those connected to a label.
// ψ_i(x) = Σ_u K(x, u) v_iu with ‖v_i‖² = 1/λ_i, λ_i the eigenvalue of K.
Accuracy top_d_cell(const Problem& problem, bool only_reached) {
  Samples unlabeled;
  for (const Index i : reference::complement(problem.train, problem.size())) {
    if (!only_reached || problem.reached[i]) unlabeled.push_back(i);
  }
  const reference::Spectrum spectrum(rows_of(columns_of(problem.kernel, unlabeled), unlabeled));
  const auto psi = [&](const Matrix& rows, Index d) {
    Matrix result = columns_of(rows, unlabeled) * spectrum.vectors.leftCols(d);
    for (Index i = 0; i < d; ++i) result.col(i) /= std::sqrt(spectrum.values[i]);
    // An eigenvector of another component is exactly zero here.
    const double rounding = 1e-9 * std::sqrt(static_cast<double>(problem.size()));
    return Matrix((result.array().abs() > rounding).select(result, 0.0));
  };
  Accuracy best;
  for (const Index d : kDimensions) {
    if (d > spectrum.values.size() || spectrum.values[d - 1] < 1e-9 * spectrum.values[0]) continue;
    const Matrix labeled = psi(rows_of(problem.kernel, problem.train), d);
    keep_better(best, best_ridge(problem, labeled * labeled.transpose(),
                                 psi(problem.rows, d) * labeled.transpose()));
  }
  return best;
}

class DenseExhibit : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const testing::TemporaryFolder folder;
    save_dataset(folder / "dblp.npz", blocks_and_pairs());
    graph_ = std::make_unique<PaperGraph>(load_paper_graph(folder / "dblp.npz", sizes()));
  }
  static void TearDownTestSuite() { graph_.reset(); }

  static const PaperDataset& sizes() { return paper_dataset("dblp"); }  // 80 train, 80 val
  static FourWaySplit split() { return paper_split(sizes(), 600, kTestShare, kSeed); }
  static Problem problem(Setting setting) { return {blocks_and_pairs(), split(), setting}; }

  static void check(PaperMethod method, Setting setting, const Accuracy& expected) {
    SCOPED_TRACE(to_string(method) + std::string(" ") + to_string(setting));
    const ExhibitCell cell{method, setting, kTestShare};
    const auto choice =
        choice_for(cell, run_experiment(graph_->dataset, sizes(), experiment_for(cell, kSeed)));
    ASSERT_TRUE(choice);
    EXPECT_DOUBLE_EQ(choice->validation, expected.validation);
    EXPECT_DOUBLE_EQ(*choice->test, expected.test);
    EXPECT_GT(expected.test, 0.3);  // chance is 0.25
    EXPECT_LT(expected.test, 0.9);
  }

  static std::unique_ptr<PaperGraph> graph_;
};
std::unique_ptr<PaperGraph> DenseExhibit::graph_;

TEST_F(DenseExhibit, LabelPropagation) {
  const FourWaySplit sets = split();
  Samples asked = sets.val;
  asked.insert(asked.end(), sets.test.begin(), sets.test.end());
  check(PaperMethod::label_propagation, Setting::transductive,
        propagation_cell(problem(Setting::transductive), asked));
}

TEST_F(DenseExhibit, InverseLaplacian) {
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    check(PaperMethod::laplacian, setting, laplacian_cell(problem(setting)));
  }
}

TEST_F(DenseExhibit, Powers) {
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    check(PaperMethod::polynomial, setting, power_cell(problem(setting), 8));
  }
  check(PaperMethod::kernel_ridge, Setting::inductive, power_cell(problem(Setting::inductive), 1));
}

// The pairs without a label occupy the first dimensions, so that the two definitions differ.
TEST_F(DenseExhibit, KernelPcaOfAllAndOfWhatLabelsReach) {
  for (const Setting setting : {Setting::transductive, Setting::inductive}) {
    const Accuracy all = top_d_cell(problem(setting), false);
    const Accuracy reached = top_d_cell(problem(setting), true);
    EXPECT_NE(all.test, reached.test);
    check(PaperMethod::top_d, setting, all);
    check(PaperMethod::top_d_reached, setting, reached);
  }
}

}  // namespace
}  // namespace stkr::dense_exhibit_test
