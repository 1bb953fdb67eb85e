#pragma once

#include <map>
#include <memory>
#include <vector>

#include "inference/term_system.hpp"
#include "runtime/random.hpp"
#include "stkr/inference/inference.hpp"

namespace stkr {

// The Gaussian process in which suggestions are judged: its covariance, column by column, and
// random functions that have it, given the labels and the suggestions taken so far.
class SuggestionProcess {
 public:
  // `relative`: on graphs, the inverse Laplacian near its pole, with the noise of a label
  // proportional to the prior variance of its sample; else the transform and ridge of the largest
  // weight.
  SuggestionProcess(const FittedSystem& system, bool relative, const Context& context);

  // Computes the columns of these samples if they are not there yet.
  void prepare(const std::vector<Index>& samples);
  // Draws random functions with the covariance; afterwards, `take` conditions them, too.
  void draw(Index count, const Context& context);

  // Of prepared samples.
  const Vector& column(Index x) const { return columns_.at(x).values; }
  double variance(Index x) const;  // not negative
  double prior_variance(Index x) const { return columns_.at(x).prior; }
  double noise(Index x) const { return noise_of(prior_variance(x)); }
  double noise_of(double prior_variance) const;

  // Random functions in columns, and the variance that they had before any label.
  const Matrix& paths() const { return paths_; }
  const Vector& estimated_prior() const { return estimated_prior_; }
  double labeled_prior() const { return term_->labeled().diagonal().mean(); }

  // Conditions on a label at a prepared sample.
  void take(Index x);

 private:
  struct Column {
    Vector values;
    double prior;  // K̂_s(x, x)
  };
  struct Taken {
    Vector column;
    double divisor;
  };
  bool near_pole_;
  FittedSystem system_;
  std::unique_ptr<TermSystem> term_;
  Vector label_noise_;
  LinearSolution solution_;
  std::map<Index, Column> columns_;
  std::vector<Taken> taken_;
  Random random_;
  Matrix paths_;
  Vector estimated_prior_;
};

}  // namespace stkr
