#pragma once

#include <span>
#include <vector>

#include "stkr/matrix.hpp"

namespace stkr {

// Several processes that run the same program on the same samples. Each holds a range of
// consecutive rows of every N × C block, and of everything else that has an entry per sample;
// labels, scalars and small matrices are equal in all of them. A backend for several processes
// implements this. All functions but the first three are called by all processes together, and
// every process gets the result.
class SharedRows {
 public:
  virtual ~SharedRows() = default;

  virtual Index size() const = 0;   // N
  virtual Index first() const = 0;  // of this process
  virtual Index count() const = 0;

  // The largest count of any process: what batches are planned for.
  virtual Index most() const = 0;

  // Element by element.
  virtual void sum(MatrixRef values) const = 0;
  virtual void largest(MatrixRef values) const = 0;

  // The numbers of all processes, in the order of their rows.
  virtual std::vector<Index> joined(std::span<const Index> own) const = 0;

  // The number of a sample's row here, or -1 if another process has it.
  Index local(Index sample) const {
    const Index row = sample - first();
    return row >= 0 && row < count() ? row : Index{-1};
  }
};

// For code that serves one process or several; null: one, which has all rows.
void sum_over(const SharedRows* rows, MatrixRef values);
void largest_over(const SharedRows* rows, MatrixRef values);
double sum_over(const SharedRows* rows, double value);
bool all_over(const SharedRows* rows, bool value);
bool any_over(const SharedRows* rows, bool value);

// The rows of this process of E x, which has row k of x at sample samples[k] of N and zeros
// elsewhere; and Eᵀ x.
Matrix scatter_samples(const SharedRows* rows, ConstMatrixRef x, std::span<const Index> samples,
                       Index size);
Matrix gather_samples(const SharedRows* rows, ConstMatrixRef x, std::span<const Index> samples);

// Numbers of samples as rows of this process; those of other processes are left out.
std::vector<Index> local_samples(const SharedRows* rows, std::span<const Index> samples);

}  // namespace stkr
