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
#include "stkr/matrix.hpp"

namespace stkr {

// Samples that were not part of the fit, in the form that their gram expects: points (M × features)
// or kernel rows (M × N) as a Matrix; edges from new nodes to the N known ones as an M × N
// CsrMatrix; one NewSamples per part for a weighted sum.
struct NewSamples {
  std::variant<Matrix, CsrMatrix, std::vector<NewSamples>> data;

  Index count() const;

  // `count` samples starting at `first`.
  NewSamples slice(Index first, Index count) const;
};

class CrossKernel;

// Receives the data from which a CrossKernel can be rebuilt; src/estimator writes it to a file.
// Arrays must live until the file is written.
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

// The inverse of CrossKernelSink. Calls throw DataError if the name is missing or of another type.
class CrossKernelSource {
 public:
  virtual ~CrossKernelSource() = default;
  virtual std::string text(std::string_view name) = 0;
  virtual double number(std::string_view name) = 0;
  virtual std::variant<Matrix, MatrixF> array(std::string_view name) = 0;
  virtual std::vector<std::int32_t> indices(std::string_view name) = 0;  // all ≥ 0
  virtual std::unique_ptr<CrossKernel> part(std::string_view name) = 0;
  virtual int threads() const { return 0; }  // for the rebuilt kernels; 0: all cores
};

// For each new sample, the known samples equal to it.
struct Twins {
  std::vector<std::int64_t> row_start{0};
  std::vector<Index> sample;

  Index count(Index row) const { return row_start[row + 1] - row_start[row]; }
};

// New samples after the work that finds their kernel rows (such as a neighbor search), so that it
// is done once for several products. The CrossKernel and the samples must outlive it.
class PlacedSamples {
 public:
  virtual ~PlacedSamples() = default;

  // K(new, known) c: M × C for an N × C block. Works in tiles and never stores M × N. New samples
  // are distinct from the known ones: their rows lack CrossKernel::self_term.
  virtual Matrix apply(ConstMatrixRef c) const = 0;

  // Whether rows have few entries, so that a product reads few rows of c: two products with narrow
  // blocks then cost no more than one with both.
  virtual bool sparse() const { return false; }

  // The known samples that equal new ones, if a twin's row would differ from the new sample's row;
  // none if rows determine everything.
  virtual std::optional<Twins> twins() const { return std::nullopt; }

  // The sample of `among` that is nearest to each new one by the distance underlying the kernel;
  // none if the kernel has no distance. Ties are broken by the order of `among`.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> among) const;
};

// The part of a gram that remains after fitting: computes the kernel row K(x, x_i) of a new sample
// x over the N known samples. f(x) = Σ_i K(x, x_i) c_i for every method of the paper.
class CrossKernel {
 public:
  virtual ~CrossKernel() = default;

  // N
  virtual Index known() const = 0;

  // The required number of columns of new samples given as a matrix; none if they are not a matrix.
  virtual std::optional<Index> features() const { return std::nullopt; }

  // δ of GramOperator::self_term, which is not part of a new sample's row.
  virtual double self_term() const { return 0.0; }

  // Throws ShapeError or ValueError for samples of the wrong kind, number of features, or range.
  // `samples` and this object must outlive the result.
  virtual std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const = 0;

  // The sample of `among` nearest to each of some known samples, as in PlacedSamples::nearest.
  virtual std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                                    std::span<const Index> among) const;

  // K(new, known) c: places the samples and multiplies.
  Matrix apply(const NewSamples& samples, ConstMatrixRef c) const;

  // Writes "kind" and everything that load_cross_kernel needs.
  virtual void save(CrossKernelSink& sink) const = 0;
};

// Rebuilds what save() wrote. Throws DataError for an unknown kind.
std::unique_ptr<CrossKernel> load_cross_kernel(CrossKernelSource& source);

}  // namespace stkr
