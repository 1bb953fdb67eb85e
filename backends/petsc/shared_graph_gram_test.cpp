#include "shared_graph_gram.hpp"

#include <gtest/gtest.h>
#include <petsclog.h>

#include <numeric>
#include <vector>

#include "runtime/random.hpp"
#include "shared_cases.hpp"
#include "stkr/error.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/linop/block_algebra.hpp"

namespace stkr::shared_graph_gram_test {

using petsc::all_rows;
using petsc::graph_cases;
using petsc::GraphCase;
using petsc::own_rows;
using petsc::shared_gram;
using petsc::SharedGraphGram;

constexpr GraphNormalization kAll[] = {
    GraphNormalization::symmetric, GraphNormalization::probability, GraphNormalization::lazy_walk,
    GraphNormalization::adjacency};

Matrix random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Random random(seed);
  Matrix x(rows, columns);
  fill_normal(random, x);
  return x;
}

// Calls test(one machine, engine, layout) for all graphs and normalizations.
template <class Test>
void for_all(Test&& test) {
  for (const GraphCase& one : graph_cases()) {
    for (const GraphNormalization normalization : kAll) {
      for (const bool loops : {false, true}) {
        SCOPED_TRACE(one.name + " " + std::to_string(static_cast<int>(normalization)) +
                     (loops ? " with self-loops" : ""));
        const GraphGram expected(
            one.weights, {.normalization = normalization, .add_self_loops = loops, .threads = 1});
        const SharedGraphGram gram = shared_gram(one.weights, normalization, loops);
        test(expected, gram, dynamic_cast<const petsc::RowLayout&>(*gram.shared_rows()));
      }
    }
  }
}

double difference(ConstMatrixRef a, ConstMatrixRef b) {
  return a.size() == 0 ? 0.0 : (a - b).cwiseAbs().maxCoeff() / (1.0 + b.cwiseAbs().maxCoeff());
}

TEST(SharedGraphGram, HasTheProductsOfOneMachine) {
  for_all([](const GraphGram& expected, const SharedGraphGram& gram, const auto& layout) {
    for (const Index columns : {Index{1}, Index{3}, Index{17}}) {
      const Matrix x = random_matrix(expected.size(), columns, 3);
      const Matrix own = product(gram, own_rows(x, layout));
      EXPECT_LE(difference(all_rows(own, layout), product(expected, x)), 1e-13);
    }
  });
}

TEST(SharedGraphGram, KnowsWhatOneMachineKnows) {
  for_all([](const GraphGram& expected, const SharedGraphGram& gram, const auto& layout) {
    EXPECT_EQ(gram.size(), expected.size());
    EXPECT_EQ(gram.local_size(), layout.count());
    EXPECT_NEAR(gram.bounds().lower, expected.bounds().lower, 1e-12);
    EXPECT_NEAR(gram.bounds().upper, expected.bounds().upper, 1e-12);
    EXPECT_EQ(gram.self_term(), expected.self_term());
    const Index n = expected.size();
    const std::vector<Index> some = {n - 1, 0, n / 2, 0};
    EXPECT_LE(difference(gram.block(some, some), expected.block(some, some)), 1e-13);
    EXPECT_LE(difference(all_rows(gram.columns(some), layout), expected.columns(some)), 1e-13);
    EXPECT_LE(difference(*gram.squared_row_norms(some), *expected.squared_row_norms(some)), 1e-13);
    EXPECT_LE(difference(all_rows(gram.degrees(), layout), expected.degrees()), 1e-13);
  });
}

TEST(SharedGraphGram, RestrictsToSamplesOfSeveralProcesses) {
  for_all([](const GraphGram& expected, const SharedGraphGram& gram, const auto& layout) {
    std::vector<Index> kept, local;
    for (Index i = 0; i < expected.size(); ++i) {
      if (i % 3 == 1) continue;
      kept.push_back(i);
      if (layout.local(i) >= 0) local.push_back(layout.local(i));
    }
    const auto whole = expected.restricted(kept, 2.0);
    const auto part = gram.restricted(local, 2.0);
    ASSERT_EQ(part->size(), whole->size());
    const Matrix x = random_matrix(whole->size(), 2, 5);
    const auto& rows = dynamic_cast<const petsc::RowLayout&>(*part->shared_rows());
    EXPECT_LE(difference(all_rows(product(*part, own_rows(x, rows)), rows), product(*whole, x)),
              1e-13);
  });
}

TEST(SharedGraphGram, ReachesTheSamplesOfOneMachine) {
  for_all([](const GraphGram& expected, const SharedGraphGram& gram, const auto& layout) {
    std::vector<char> from(static_cast<std::size_t>(expected.size()), 0);
    from[0] = from[from.size() / 3] = 1;
    const std::vector<char> own(from.begin() + layout.first(),
                                from.begin() + layout.first() + layout.count());
    for (const int steps : {0, 1, 2, 5}) {
      const std::vector<char> reached = expected.reached(from, steps);
      EXPECT_EQ(gram.reached(own, steps),
                std::vector<char>(reached.begin() + layout.first(),
                                  reached.begin() + layout.first() + layout.count()));
    }
  });
}

TEST(SharedGraphGram, FindsComponentsAcrossProcesses) {
  for_all([](const GraphGram& expected, const SharedGraphGram& gram, const auto& layout) {
    ASSERT_EQ(gram.knows_components(), expected.knows_components());
    if (!gram.knows_components()) return;
    const std::vector<Index> labeled = {0, expected.size() / 2};
    const auto whole = label_reach(expected, labeled);
    const auto part = label_reach(gram, labeled);
    EXPECT_EQ(part->components(), whole->components());
    EXPECT_EQ(part->components_without_label(), whole->components_without_label());
    EXPECT_EQ(part->samples_without_label(), whole->samples_without_label());
    if (expected.known_eigenspace()->dimension() == 0) return;
    Matrix x = random_matrix(expected.size(), 2, 6);
    petsc::PetscBlock block(petsc::shared_layout(expected.size()), 2);
    upload(x, block);
    project_out(*gram.known_eigenspace(), block, 1);
    expected.known_eigenspace()->project_out(x);
    EXPECT_LE(difference(download(block), x), 1e-13);
    EXPECT_GT(layout.size(), 0);
  });
}

TEST(SharedGraphGram, MovesTheRowsOfItsHaloAndNothingElse) {
  for (const GraphCase& one : graph_cases()) {
    SCOPED_TRACE(one.name);
    const SharedGraphGram gram = shared_gram(one.weights, GraphNormalization::symmetric);
    const auto& layout = dynamic_cast<const petsc::RowLayout&>(*gram.shared_rows());
    const Index columns = 5;
    const Matrix x = Matrix::Ones(layout.count(), columns);
    product(gram, x);  // sets up the exchange
    // What PETSc itself counts as sent.
    const double before = petsc_isend_len + petsc_send_len;
    product(gram, x);
    const double sent = sum_over(&layout, petsc_isend_len + petsc_send_len - before);
    const double rows = sum_over(&layout, static_cast<double>(gram.matrix().halo().size()));
    EXPECT_EQ(sent, rows * columns * 8);
  }
}

TEST(SharedGraphGram, StopsAllProcessesIfOneIsInterrupted) {
  const CsrMatrix weights = graph_cases().front().weights;
  const auto layout = petsc::shared_layout(weights.rows);
  bool stop = false;
  const SharedGraphGram gram(layout, own_rows(weights, *layout),
                             {.cancelled = [&] { return stop; }});
  const Matrix x = Matrix::Ones(layout->count(), 1);
  EXPECT_NO_THROW(product(gram, x));
  stop = layout->first() == 0;  // in one process
  EXPECT_THROW(product(gram, x), Cancelled);
}

}  // namespace stkr::shared_graph_gram_test
