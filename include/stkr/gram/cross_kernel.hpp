#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stkr/kernel/kernel.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"
#include "stkr/runtime/device.hpp"

namespace stkr {

// Samples that were not part of the fit, in the form that their gram expects: points (M × features)
// as a Matrix or, sparse, as a CsrMatrix; kernel rows (M × N) as a Matrix; edges from new nodes to
// the N known ones as an M × N CsrMatrix; one NewSamples per part for a weighted sum; edges and
// features, {CsrMatrix, Matrix or CsrMatrix}, for smoothed features.
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
  virtual std::unique_ptr<CrossKernelSource> part(std::string_view name) = 0;
  virtual int threads() const { return 0; }  // for the rebuilt kernels; 0: all cores
  virtual Device device() const { return {}; }
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

  // K(new, known) diag(scale) c. Sparse rows should scale only the rows of c that they read; the
  // default scales all.
  virtual Matrix apply_scaled(const Vector& scale, ConstMatrixRef c) const;

  // K(new, known) itself, M × N, for few new samples; none if the placed samples know it by its
  // products only.
  virtual std::optional<Matrix> rows() const { return std::nullopt; }

  // K°(x, x') among the new samples, M × M, and its diagonal K°(x, x): like the rows, without
  // CrossKernel::self_term. New nodes of a graph have no edges to each other. None if the form in
  // which new samples are given does not determine them, as with kernel rows.
  virtual std::optional<Matrix> among() const { return std::nullopt; }
  virtual std::optional<Vector> diagonal() const;

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
//
// One of your own places new samples, and writes what it needs to be loaded again:
//
//   class MyCrossKernel : public stkr::CrossKernel {
//    public:
//     explicit MyCrossKernel(stkr::Matrix known) : known_(std::move(known)) {}
//     stkr::Index known() const override { return known_.rows(); }
//     std::unique_ptr<stkr::PlacedSamples> place(const stkr::NewSamples& samples) const override;
//     void save(stkr::CrossKernelSink& sink) const override {
//       sink.text("kind", "mine");  // the kind under which the registry below finds the loader
//       const std::span<const double> values(known_.data(), known_.size());
//       sink.array("known", known_.rows(), known_.cols(), values);
//     }
//    ...
//   };
//   stkr::CrossKernelRegistry registry;
//   registry.add("mine", [](stkr::CrossKernelSource& source, const stkr::CrossKernelRegistry&) {
//     return std::make_unique<MyCrossKernel>(std::get<stkr::Matrix>(source.array("known")));
//   });
//   const auto model = stkr::Model::load("model.npz", registry);
//
// examples/own_gram.cpp is a complete program.
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

class CrossKernelRegistry;

// Rebuilds a cross kernel from what its save() wrote. The registry serves to load its parts.
using CrossKernelLoader =
    std::function<std::unique_ptr<CrossKernel>(CrossKernelSource&, const CrossKernelRegistry&)>;

// The custom kernel with the parameters that a model file stores.
using CustomKernelMaker =
    std::function<CustomKernel(const std::map<std::string, double>& parameters)>;

// The kinds of cross kernels and the custom point kernels that can be loaded, besides those of the
// library:
//
//   stkr::CrossKernelRegistry registry;
//   registry.add_kernel("cauchy", [](const auto& saved) { return cauchy(saved.at("length")); });
//   const auto model = stkr::Model::load("model.npz", registry);
class CrossKernelRegistry {
 public:
  // Both throw ValueError if the library or an earlier call uses the name, or if it or the function
  // is empty.
  CrossKernelRegistry& add(std::string kind, CrossKernelLoader loader);
  CrossKernelRegistry& add_kernel(std::string name, CustomKernelMaker make);

  // Throw DataError if nothing was added by that name.
  const CrossKernelLoader& loader(const std::string& kind) const;
  CustomKernel kernel(const std::string& name,
                      const std::map<std::string, double>& parameters) const;

 private:
  std::map<std::string, CrossKernelLoader> loaders_;
  std::map<std::string, CustomKernelMaker> kernels_;
};

// Rebuilds what save() wrote. Throws DataError for an unknown kind, and if the data contradict each
// other.
std::unique_ptr<CrossKernel> load_cross_kernel(CrossKernelSource& source,
                                               const CrossKernelRegistry& registry = {});

}  // namespace stkr
