#pragma once

#include <string>
#include <vector>

#include "petsc_block.hpp"
#include "shared_graph_gram.hpp"
#include "stkr/linop/csr_matrix.hpp"

// Graphs on which the engine is compared with one machine, for tests only.
namespace stkr::petsc {

struct GraphCase {
  std::string name;
  CsrMatrix weights;
};

// Random graphs, one with isolated nodes and many components, one with a hub that every node is
// joined to, a path whose every edge may join two processes, and graphs with fewer nodes than
// processes.
std::vector<GraphCase> graph_cases();

// Samples with labels, and their targets.
struct Labeled {
  std::vector<Index> samples;
  Matrix y;
};

// Two classes, with labels spread over the samples or all among the first: of one process.
Labeled labels_of(Index size, bool first);

// The rows of this process, equally shared.
Layout shared_layout(Index size);
CsrMatrix own_rows(const CsrMatrix& matrix, const RowLayout& layout);
Matrix own_rows(ConstMatrixRef block, const RowLayout& layout);

// The whole block in every process.
Matrix all_rows(ConstMatrixRef own, const RowLayout& layout);

SharedGraphGram shared_gram(const CsrMatrix& weights, GraphNormalization normalization,
                            bool add_self_loops = false);

}  // namespace stkr::petsc
