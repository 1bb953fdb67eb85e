#pragma once

#include <vector>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// A sparse row over nodes, as a dense vector and the places that are not 0.
class SparseRow {
 public:
  explicit SparseRow(Index nodes) : value_(nodes, 0.0), present_(nodes, 0) {}

  void add(Index node, double value) {
    if (!present_[node]) {
      present_[node] = 1;
      places_.push_back(node);
    }
    value_[node] += value;
  }
  void scale(double factor) {
    for (const Index node : places_) value_[node] *= factor;
  }
  void clear() {
    for (const Index node : places_) {
      value_[node] = 0.0;
      present_[node] = 0;
    }
    places_.clear();
  }
  // Calls visit(node, value) in the order in which nodes were added.
  template <class Visit>
  void visit(Visit&& visit) const {
    for (const Index node : places_) visit(node, value_[node]);
  }

 private:
  std::vector<double> value_;
  std::vector<char> present_;
  std::vector<Index> places_;
};

template <class Visit>
void visit_row(const CsrMatrix& matrix, Index row, Visit&& visit) {
  for (std::int64_t p = matrix.row_start[row]; p < matrix.row_start[row + 1]; ++p) {
    visit(matrix.column[p], matrix.value[p]);
  }
}

// to ← from A
inline void multiply_row(const SparseRow& from, const CsrMatrix& matrix, SparseRow& to) {
  to.clear();
  from.visit([&](Index node, double weight) {
    visit_row(matrix, node, [&](Index j, double value) { to.add(j, weight * value); });
  });
}

}  // namespace stkr
