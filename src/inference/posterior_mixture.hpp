#pragma once

#include "inference/term_system.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr {

// What the labels explain of K̂_s(x,x), given k_s(x) in rows.
Vector explained_variance(const TermRidge& ridge, bool constant, const Matrix& k);

// K̂_s(x,x) of known samples.
Vector transformed_diagonal(const TermSystem& term, std::span<const Index> samples);

// The posterior of new samples, one column per sample.
Posterior exact_posterior(const FittedSystem& system, const NewSamples& samples,
                          const Context& context);

// Adds up the mixture over terms and ridges.
class PosteriorMixture {
 public:
  PosteriorMixture(const FittedSystem& system, Index count);

  // `noise`: that of the labels; `k`: k_s(x) in rows; `variance`: of f in units of K̂_s.
  void add(const TermRidge& ridge, const Vector& noise, const Matrix& k, const Vector& variance);
  Posterior result(double relative_error) const;

 private:
  const EncodedTargets& targets_;
  Matrix mean_;
  Matrix square_;
  Vector noise_;
};

}  // namespace stkr
