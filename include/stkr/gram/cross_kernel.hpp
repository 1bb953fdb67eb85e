#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/matrix.hpp"

namespace stkr {

// Samples that were not there when the model was fitted, in the form their gram understands:
// points (M × features) or kernel rows (M × N) as a Matrix; edges of new nodes to the N known ones
// as an M × N CsrMatrix; one NewSamples per part for a weighted sum.
struct NewSamples {
  std::variant<Matrix, CsrMatrix, std::vector<NewSamples>> data;

  Index count() const;

  // Some of them, from `first` on.
  NewSamples slice(Index first, Index count) const;
};

class CrossKernel;

// Where a CrossKernel writes what it needs to be rebuilt; src/estimator writes it to a file. Arrays
// must live until the file is written.
class CrossKernelSink {
 public:
  virtual ~CrossKernelSink() = default;
  virtual void text(std::string_view name, std::string_view value) = 0;
  virtual void number(std::string_view name, double value) = 0;
  virtual void array(std::string_view name, Index rows, Index cols, std::span<const double>) = 0;
  virtual void array(std::string_view name, Index rows, Index cols, std::span<const float>) = 0;
  virtual void indices(std::string_view name, std::span<const std::int32_t>) = 0;
  virtual void part(std::string_view name, const CrossKernel& part) = 0;
};

// The other direction. Each call throws DataError where the name is missing or of another type.
class CrossKernelSource {
 public:
  virtual ~CrossKernelSource() = default;
  virtual std::string text(std::string_view name) = 0;
  virtual double number(std::string_view name) = 0;
  virtual std::variant<Matrix, MatrixF> array(std::string_view name) = 0;
  virtual std::vector<std::int32_t> indices(std::string_view name) = 0;  // all ≥ 0
  virtual std::unique_ptr<CrossKernel> part(std::string_view name) = 0;
  virtual int threads() const { return 0; }  // for the kernels rebuilt; 0: all cores
};

// For each new sample the known samples that it equals.
struct Twins {
  std::vector<std::int64_t> row_start{0};
  std::vector<Index> sample;

  Index count(Index row) const { return row_start[row + 1] - row_start[row]; }
};

// New samples after whatever it takes to find their kernel rows (a search for neighbors, say), so
// that this is done once for several products. What it was made from must outlive it.
class PlacedSamples {
 public:
  virtual ~PlacedSamples() = default;

  // K(new, known) c: M × C for an N × C block. Works in tiles: never stores M × N. A new sample is
  // none of the known ones: what only a sample itself has (CrossKernel::self_term) is not in its
  // row.
  virtual Matrix apply(ConstMatrixRef c) const = 0;

  // Rows have few entries, so that a product touches few rows of c: two products with narrow blocks
  // cost no more than one with both.
  virtual bool sparse() const { return false; }

  // The known samples that new ones are equal to, where a twin's row would differ from the new
  // sample's; none where rows say all there is to say.
  virtual std::optional<Twins> twins() const { return std::nullopt; }

  // The sample of `among` that is nearest to each new one by the distance behind the kernel; none
  // where there is no distance. Ties are broken by the order of `among`.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> among) const;
};

// What remains of a gram once it is fitted: the rule that gives a new sample x its kernel row
// K(x, x_i) over the N known samples. f(x) = Σ_i K(x, x_i) c_i for every method of the paper.
class CrossKernel {
 public:
  virtual ~CrossKernel() = default;

  // N
  virtual Index known() const = 0;

  // The number of columns that new samples given as a matrix must have; none where they are not.
  virtual std::optional<Index> features() const { return std::nullopt; }

  // δ of GramOperator::self_term, which a new sample's row lacks.
  virtual double self_term() const { return 0.0; }

  // Throws ShapeError or ValueError for samples of the wrong kind, number of features, or range.
  // `samples` and this must outlive the result.
  virtual std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const = 0;

  // The sample of `among` nearest to each of some known samples, as PlacedSamples::nearest.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                                    std::span<const Index> among) const;

  // K(new, known) c, placed and multiplied at once.
  Matrix apply(const NewSamples& samples, ConstMatrixRef c) const;

  // Writes "kind" and everything load_cross_kernel needs.
  virtual void save(CrossKernelSink& sink) const = 0;
};

// Rebuilds what save() wrote. Throws DataError for a kind it does not know.
std::unique_ptr<CrossKernel> load_cross_kernel(CrossKernelSource& source);

}  // namespace stkr
