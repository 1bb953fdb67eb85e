#pragma once

#include <algorithm>
#include <map>

#include "reproduction/experiment.hpp"

namespace stkr {

// Estimates the remaining time: the work of an experiment is estimated from the size of the graph,
// the time per unit of work is measured for each family.
class WorkClock {
 public:
  void plan(const PaperDataset& dataset, const Experiment& experiment) {
    left_[experiment.family] += work(dataset, experiment);
  }
  void skip(const PaperDataset& dataset, const Experiment& experiment) {
    left_[experiment.family] -= work(dataset, experiment);
  }
  void finish(const PaperDataset& dataset, const Experiment& experiment, double seconds) {
    skip(dataset, experiment);
    done_[experiment.family] += work(dataset, experiment);
    seconds_[experiment.family] += seconds;
  }

  double seconds_left() const {  // negative: no measurement yet
    double all_work = 0.0, all_seconds = 0.0, result = 0.0;
    for (const auto& [family, work] : done_) {
      all_work += work;
      all_seconds += seconds_.at(family);
    }
    if (all_work <= 0.0) return -1.0;
    for (const auto& [family, left] : left_) {
      const auto known = done_.find(family);
      const double rate =
          known != done_.end() ? seconds_.at(family) / known->second : all_seconds / all_work;
      result += std::max(left, 0.0) * rate;
    }
    return result;
  }

 private:
  static double work(const PaperDataset& dataset, const Experiment& experiment) {
    const auto entries = static_cast<double>(dataset.edges + dataset.nodes);
    const auto labels = static_cast<double>(dataset.train);
    const auto classes = static_cast<double>(dataset.classes);
    switch (experiment.family) {
      case Family::label_propagation:
        return 32.0 * classes * entries;
      case Family::inverse_laplacian:
        return experiment.solver == PaperSolver::richardson ? 3000.0 * classes * entries
                                                            : 40.0 * labels * entries;
      case Family::top_d:
        return 50000.0 * entries;
      default:
        return 8.0 * labels * entries;
    }
  }

  std::map<Family, double> left_, done_, seconds_;
};

}  // namespace stkr
