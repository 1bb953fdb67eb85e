#pragma once

#include <limits>
#include <optional>
#include <string>

#include "selection/automatic_candidates.hpp"
#include "selection/learned_transform.hpp"
#include "selection/scored_gram.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/selection/fit_automatic.hpp"

namespace stkr {

// One candidate with its gram and, unless the choice is fixed, its scores.
struct Contestant {
  AutomaticCandidate candidate{};
  Execution execution{};
  PreparedGram prepared{};
  ProblemShape shape{};
  std::uint64_t planned_bytes = 0;
  std::optional<ScoredGram> scored{};
  std::optional<LearnedTransform> learned{};
  double score = -std::numeric_limits<double>::infinity();
};

// The labels' choice among transforms and ridges: scores contestants and turns the winner's scores
// into a specification with nothing open.
class AutomaticChoice {
 public:
  // `rows`: several processes share the samples, and `labels` are those of this one.
  AutomaticChoice(const Labels& labels, const Specification& spec, const Context& context,
                  const SharedRows* rows = nullptr);

  // Whether labels can choose: enough of them can be left out, and no sample weights are given.
  bool choosing() const { return choosing_; }
  bool kernel_open() const { return kernel_open_; }  // or given by the user
  std::string why_fixed() const;
  // The classes that do not count in the scores: names, separated by commas.
  std::string not_left_out() const;

  void score(Contestant& one) const;
  Specification chosen(const Contestant& one) const;
  TriedAutomatically report(const Contestant& one) const;
  // What the score is; empty if there is none.
  std::string scored_by(const Contestant& one) const;

 private:
  bool regression() const { return std::holds_alternative<TargetDecision>(targets_.decision); }
  Grid grid_of(const Contestant& one) const;

  const Context& context_;
  Labels deciding_;
  EncodedTargets targets_;
  bool kernel_open_;
  bool all_labels_;  // whether all of them decide
  bool weighted_;
  bool choosing_;
};

}  // namespace stkr
