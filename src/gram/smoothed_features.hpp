#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "stkr/gram/cross_kernel.hpp"
#include "stkr/linop/feature_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// The features of a graph's nodes, averaged k times over their neighbors: Φ = S̃^k X with
// S̃ = D̃^-1/2 (W + I) D̃^-1/2. Products with Φ are k products with S̃ and one with X, so Φ, which is
// dense after a few steps, is not stored.
//
// With unit rows, a row φ_i is divided by ‖φ_i‖. A row of zeros stays a row of zeros: such a node
// is similar to no other.
class SmoothedFeatures {
 public:
  // `weights` is W: N × N, symmetric; `features` is X: N × p. Throws ShapeError if they do not
  // match, ValueError for a negative k, invalid values, and if X has no entry other than 0.
  SmoothedFeatures(const CsrMatrix& weights, std::shared_ptr<const CsrMatrix> features, Index steps,
                   bool unit_rows, int threads, const Vector* squares = nullptr);

  // ‖φ_i‖² of all nodes for several k at the cost of the largest: `squares` of the constructor.
  static std::map<Index, Vector> row_squares(const CsrMatrix& weights,
                                             std::shared_ptr<const CsrMatrix> features,
                                             const std::vector<Index>& steps, int threads);

  Index size() const { return walk_.rows; }           // N
  Index features() const { return features_->cols; }  // p
  Index steps() const { return steps_; }              // k
  bool unit_rows() const { return unit_rows_; }
  bool nonnegative() const { return nonnegative_; }     // X ≥ 0, and therefore Φ ≥ 0
  Index empty_rows() const { return empty_rows_; }      // φ_i = 0; known with unit rows only
  double squared_norm_bound() const { return bound_; }  // at least ‖Φ‖²

  // y = Φ v for p × C, and Φᵀ x for N × C.
  void multiply(ConstMatrixRef v, MatrixRef y) const;
  Matrix multiply_transposed(ConstMatrixRef x) const;
  // Rows of Φ.
  Matrix rows(std::span<const Index> samples) const;
  // Φ itself.
  Matrix dense() const;

  // A new node x with edges to known nodes and features of its own gets the row that a known node
  // with these edges and features has: φ⁽⁰⁾ = X_x, φ⁽ʲ⁾ = S̃(x,x) φ⁽ʲ⁻¹⁾ + Σ_i S̃(x,i) φ_i⁽ʲ⁻¹⁾.
  struct NewNodes {
    CsrMatrix walk;      // S̃(x, i); no rows if k = 0
    Vector own;          // S̃(x, x)
    CsrMatrix features;  // X_x
    Vector scale;        // 1/‖φ(x)‖, or 1
  };
  // `samples` are {edges, features}, or only features if k = 0; features are dense or sparse.
  // Throws ShapeError or ValueError if they are of another form or do not match.
  NewNodes place(const NewSamples& samples, const char* who) const;
  Matrix rows(const NewNodes& nodes) const;                        // φ(x), dense
  Matrix multiply(const NewNodes& nodes, ConstMatrixRef v) const;  // φ(x) v for p × C

  void save(CrossKernelSink& sink) const;
  static std::shared_ptr<const SmoothedFeatures> load(CrossKernelSource& source);

 private:
  SmoothedFeatures() = default;
  void finish();  // what follows from the members that are saved
  void set_unit_rows(const Vector* squares);
  void smooth(Matrix& block) const;  // block ← S̃^k block
  // Calls visit(first, j, S̃^j X(:, first...)) for some columns of X at a time, j = k or all j ≤ k.
  void for_each_strip(bool all,
                      const std::function<void(Index, Index, const Matrix&)>& visit) const;
  Matrix unscaled_rows(const NewNodes& nodes, Index first, Index count) const;

  CsrMatrix walk_;  // S̃; with k = 0 only its size
  Vector degree_;   // D̃
  std::shared_ptr<const CsrMatrix> features_;
  CsrMatrix transposed_;  // Xᵀ
  Index steps_ = 0;
  bool unit_rows_ = false;
  Vector scale_;  // 1/‖φ_i‖, or empty
  int threads_ = 0;
  bool nonnegative_ = false;
  Index empty_rows_ = 0;
  double bound_ = 0.0;
  std::vector<std::int32_t> walk_counts_, feature_counts_;  // entries per row, as saved
};

}  // namespace stkr
