#pragma once

#include <string>
#include <vector>

#include "stkr/estimator/decision.hpp"
#include "stkr/estimator/fit.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/selection/grid.hpp"

namespace stkr {

// One transform and ridge with its score. All in nats: differences are log odds.
struct ScoredPoint {
  GridPoint point;
  double score = 0.0;
  double scale = 1.0;  // classes: root mean square of the centered scores of unlabeled samples
  Matrix alpha;        // α of the fit to all labels, n × C; empty for regression
  Matrix left_out;     // f_{-i}(x_i) with its constant: n × C
};

struct ScoredGram {
  std::vector<ScoredPoint> points;  // in grid order
  double largest_eigenvalue = 1.0;
  std::vector<std::string> warnings;

  // log of the mean of exp(score): the score of the gram itself.
  double score() const;
  std::size_t best() const;  // index into points; the first if several are best
};

// Whether leaving labels out can tell grid points apart: at least four labels of at least two
// classes that have another label; for regression, at least four labels.
bool can_leave_out(const EncodedTargets& targets);

// The classes whose single label cannot be left out; empty for regression.
std::vector<std::string> classes_with_one_label(const EncodedTargets& targets);

// Scores every point of the grid by leaving each label out, in closed form (RidgePath): for classes
// by calibrated_score, for regression by the log likelihood of normal residuals, -n/2 log of their
// mean square. A class with a single label cannot be predicted without it and is not counted.
// `largest_eigenvalue` of the gram is the unit of η.
ScoredGram score_gram(const GramOperator& gram, const EncodedTargets& targets, const Grid& grid,
                      double largest_eigenvalue, const Execution& execution,
                      const Context& context = {});

}  // namespace stkr
