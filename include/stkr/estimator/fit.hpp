#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/matrix.hpp"
#include "stkr/solver/summary.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// How a fit is carried out. These settings affect time, memory and rounding. plan/plan
// chooses them for the memory budget.
struct Execution {
  Tiles tiles = Tiles::evaluated;  // of a point kernel
  bool single_precision = false;   // of points and tiles; sums stay in double
  // The basis of default length scales (model/prepare_gram), if it is known already.
  std::optional<double> neighbor_distance{};
  // Squared row norms of node features by the number of smoothing steps, if they are known already.
  std::shared_ptr<const std::map<Index, Vector>> smoothed_squares{};
  // Largest sample count for which a dense matrix is formed, to factorize it (reciprocal
  // transforms) or to diagonalize it (kernel PCA), if products cost N² anyway.
  Index factorize_below = 3000;
  Index diagonalize_below = 4000;
  Index most_direct = 6000;  // most labels for which the n × n system is formed by default
  std::size_t block_bytes = std::size_t{1} << 27;  // for one N × n block; beyond that, batches
  Index outputs_at_once = 0;                       // columns of the N × C blocks at a time; 0: all
};

// Calls part(first, count) for `columns` in batches of at most `at_once`; 0: all in one batch.
template <class Part>
void for_batches(Index columns, Index at_once, Part&& part) {
  const Index batch = at_once > 0 ? at_once : columns;
  for (Index first = 0; first < columns; first += batch) {
    part(first, first + batch < columns ? batch : columns - first);
  }
}

// The connected components of a gram's samples, and which of them contain a label. A sample without
// edges is its own component.
struct LabelReach {
  std::vector<std::int32_t> component;  // of each sample; numbered by first sample
  std::vector<Index> size;              // of each component
  std::vector<char> labeled;            // whether it has a labeled sample
  // If several processes share the samples, the others describe the rows of this one, and these
  // all samples.
  struct Totals {
    Index components = 0, without_label = 0, samples_without_label = 0;
  };
  std::optional<Totals> totals{};

  Index components() const { return totals ? totals->components : static_cast<Index>(size.size()); }
  Index components_without_label() const;
  Index samples_without_label() const;  // in these components
};

// Returns nullopt if the gram does not know its components (GramOperator::knows_components).
std::optional<LabelReach> label_reach(const GramOperator& gram, std::span<const Index> labeled);

// The default ridge ρ, relative to the mean diagonal of G_{K̂_s,n} (estimator/ridge_unit).
inline constexpr double kDefaultRidge = 0.1;

// What a fit did, and how accurate it is.
struct FitSummary {
  std::string method;     // "stkr", "kernel-pca", "kernel-ridge", "label-propagation"
  std::string transform;  // SpectralTransform::describe(), if the method has one
  SolveSummary solve;
  SpectrumBounds spectrum;                    // of S, as far as needed
  std::optional<TransformValidity> validity;  // Theorem 1 on that spectrum
  std::optional<double> approximation_error;  // sup-norm error of s, if s is approximated
  // Bound on the relative error that this causes in f; it grows as the ridge shrinks.
  std::optional<double> answer_error;
  double beta = 0.0;          // the paper's β_n as used; 0 if the method has none
  double ridge = 0.0;         // the same in units of the mean diagonal of G_{K̂_s,n}
  bool ridge_chosen = false;  // chosen by leave-one-out
  std::vector<std::string> warnings;
  long products = 0;  // block products with S, in total
  double seconds = 0.0;
};

// Fits with one transform and several ridges, each with its weight in an average.
struct AverageTerm {
  struct Part {
    double ridge = kDefaultRidge;  // ρ > 0, relative
    double weight = 1.0;           // > 0
  };
  SpectralTransform transform;  // s
  std::vector<Part> parts{};
  // Σ weight·α over the parts (not divided), n × C, if they are solved already for the same labels;
  // empty: the fit solves them.
  Matrix alpha{};
  // Σ weight·f_{-i}(x_i) likewise (see leave_one_out in estimator/average); empty: not known.
  Matrix left_out{};
};

// ψ_1, ..., ψ_d: the leading eigenfunctions of K, with mean square 1 over the training samples. At
// a new sample, ψ_k(x) = Σ_i K(x, x_i) b_ik.
struct SpectralEmbedding {
  Vector eigenvalues;   // λ_1 ≥ ... ≥ λ_d > 0
  Matrix values;        // ψ at the known samples: N × d
  Matrix coefficients;  // b: N × d
};

// Decides whether a sample has evidence: one rule for fits, models and selection. If K ≥ 0, a
// sample has evidence if a path along K > 0 joins it to a label, however small f is there. Kernels
// with negative values have no paths: there |f| must exceed a floor above the rounding error.
struct Evidence {
  bool by_reach = false;
  std::vector<char> reached{};  // by_reach: for each known sample; empty: all
  std::vector<char> sources{};  // known samples that pass evidence to new ones; empty: all
  // |f| must also exceed this: 0 if K ≥ 0 and f has exact zeros; negative if a free constant is
  // fitted, because f = 0 is then a valid prediction.
  double floor = 0.0;

  // Evidence of the known samples from `first` on, given their f.
  std::vector<char> of_known(Index first, ConstMatrixRef f) const;
  // Evidence of new samples, given f and, if by_reach, K(x, ·) times source_column().
  std::vector<char> of_new(ConstMatrixRef f, ConstMatrixRef source_mass) const;
  // N × 1, with 1 at each source; empty if evidence is not by reach.
  Matrix source_column(Index size) const;
};

// Every method produces the same c: f(x) = b + Σ_i K(x, x_i) c_i for new samples x.
struct Fit {
  Matrix alpha;         // α̂: n × C, for methods that have one
  Matrix coefficients;  // c: N × C
  Matrix fitted;        // f̂ - b at the N samples: N × C
  Vector constant;      // b: C values; empty: none
  Evidence evidence;
  FitSummary summary;
  std::optional<SpectralEmbedding> embedding{};  // if supported and requested
  Matrix left_out{};  // leave_one_out (estimator/average), if supported and requested; else empty
  // What was solved, if it has this form and the gram has no weights: one term for a single fit.
  std::vector<AverageTerm> terms{};
};

// Throws ValueError if kernel values are so small or so large that their squares underflow or
// overflow, which would make norms and predictions wrong. Checks a few samples.
void check_scale(const GramOperator& gram);

// Throws ValueError or ShapeError unless `labeled` lists distinct samples of the gram, at least
// one, and y has a finite row for each. Also calls check_scale.
void check_labeled(const GramOperator& gram, std::span<const Index> labeled, ConstMatrixRef y);

// The samples not in `labeled`, in order. Throws ValueError if an index is out of range.
std::vector<Index> unlabeled_samples(Index size, std::span<const Index> labeled);
// The same as rows of this process, if several share the samples.
std::vector<Index> unlabeled_rows(const SharedRows* rows, Index size,
                                  std::span<const Index> labeled);

}  // namespace stkr
