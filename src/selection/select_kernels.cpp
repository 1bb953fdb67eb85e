#include "selection/select_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <future>
#include <mutex>

#include "model/length_scale.hpp"
#include "runtime/parallel.hpp"
#include "runtime/progress_counter.hpp"
#include "saved_selection.hpp"
#include "selection/folds.hpp"
#include "selection/split_problem.hpp"
#include "specification/kernel_parts.hpp"
#include "stkr/error.hpp"
#include "stkr/linop/block_algebra.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr {
namespace {

using Run = std::function<Selection(const Specification&, const SelectOptions&, const Context&)>;

// The kernels of a candidate; none if one does not apply to the data: then that candidate is left
// out when its gram is built, with the reason.
std::vector<KernelPart> usable_parts(DatasetKind kind, const KernelCandidate& candidate) {
  try {
    return kernel_parts(kind, candidate.spec);
  } catch (const ValueError&) {
    return {};
  }
}

// The basis of default length scales, computed once for all candidates; none if fewer than two need
// it or if it cannot be computed: then each candidate that needs it reports the error itself.
std::optional<double> shared_distance(const Dataset& dataset,
                                      std::span<const KernelCandidate> candidates,
                                      const Labels& labels, const std::vector<Index>& visible,
                                      const Context& context) {
  const auto open = std::count_if(candidates.begin(), candidates.end(), [&](const auto& candidate) {
    const auto parts = usable_parts(dataset.kind(), candidate);
    return std::any_of(parts.begin(), parts.end(), [](const KernelPart& part) {
      const auto* kernel = part.kernel.get_if<PointKernelSpec>();
      return kernel && kernel->kernel.has_length_scale() && kernel->length_scale.relative &&
             kernel->smoothing == 0;
    });
  });
  std::optional<Points> points;
  if (const auto* samples = std::get_if<Points>(&dataset.samples)) points = *samples;
  if (dataset.features) points = Points{.values = dataset.features->values, .feature_names = {}};
  if (open < 2 || !points) return std::nullopt;
  try {
    if (visible.empty()) return neighbor_distance(*points, labels, context);
    return neighbor_distance({points->values.chosen_rows(visible), {}}, labels_of(labels, visible),
                             context);
  } catch (const ValueError&) {
    return std::nullopt;
  }
}

// Missing features are an error of the call, not of one kernel: throws instead of leaving it out.
void check_views(const Dataset& dataset, std::span<const KernelCandidate> candidates) {
  for (const KernelCandidate& candidate : candidates) {
    for (const KernelPart& part : usable_parts(dataset.kind(), candidate)) {
      check_has_features(dataset, part);
    }
  }
}

// Progress that names the kernel.
Context naming(const Context& context, const std::string& kernel) {
  Context named = context;
  if (context.progress) {
    named.progress = [&context, &kernel](Progress progress) {
      const std::string text = fmt::format("{}: {}", kernel, progress.phase);
      progress.phase = text.c_str();
      context.progress(progress);
    };
  }
  return named;
}

void add_costs(const std::vector<FamilyCost>& costs, std::vector<FamilyCost>& total) {
  for (const FamilyCost& cost : costs) {
    const auto same = std::find_if(total.begin(), total.end(), [&](const FamilyCost& known) {
      return known.family == cost.family;
    });
    if (same == total.end()) {
      total.push_back(cost);
    } else {
      same->seconds += cost.seconds;
      same->products += cost.products;
    }
  }
}

// Merges warnings: those of all kernels appear once, the others with the kernel's name.
std::vector<std::string> joined_warnings(
    const std::vector<std::pair<std::string, std::vector<std::string>>>& by_kernel) {
  std::vector<std::string> result;
  const auto everywhere = [&](const std::string& warning) {
    return std::all_of(by_kernel.begin(), by_kernel.end(), [&](const auto& one) {
      return std::find(one.second.begin(), one.second.end(), warning) != one.second.end();
    });
  };
  for (const auto& [kernel, warnings] : by_kernel) {
    for (const std::string& warning : warnings) {
      const std::string text =
          everywhere(warning) ? warning : fmt::format("{}: {}", kernel, warning);
      if (std::find(result.begin(), result.end(), text) == result.end()) result.push_back(text);
    }
  }
  return result;
}

// `first` is the first of the errors, which is thrown unchanged if all kernels have the same.
[[noreturn]] void none_usable(const std::vector<std::pair<std::string, std::string>>& reasons,
                              const std::exception_ptr& first) {
  const bool one = std::all_of(reasons.begin(), reasons.end(), [&](const auto& reason) {
    return reason.second == reasons.front().second;
  });
  if (one) std::rethrow_exception(first);
  std::string text;
  for (const auto& [kernel, reason] : reasons) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kernel, reason);
  }
  throw ValueError(fmt::format("none of the {} kernels can be used: {}", reasons.size(), text));
}

// Runs the grid for one candidate after the other; `kind` distinguishes this from other selections
// of a run. Errors common to all candidates (the split, the labels) are thrown unchanged.
Selection for_each_kernel(const char* kind, std::span<const KernelCandidate> candidates,
                          std::optional<double> distance, const SelectOptions& options,
                          const Context& context, const Run& run) {
  if (candidates.empty()) throw ValueError("no kernel to select from");
  Selection all;
  all.kernels.clear();
  std::vector<std::pair<std::string, std::string>> reasons;
  std::exception_ptr first;
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;
  ProgressCounter counter(context.progress, "kernels", static_cast<Index>(candidates.size()));
  for (std::size_t k = 0; k < candidates.size(); ++k, counter.add()) {
    const std::string& name = candidates[k].description;
    SelectOptions with = options;
    if (distance) with.execution.neighbor_distance = distance;
    Selection one;
    try {
      one = resumable_selection(fmt::format("{} selection, kernel {}", kind, k + 1), with,
                                candidates.size() > 1 ? naming(context, name) : context,
                                [&](const SelectOptions& own, const Context& own_context) {
                                  return run(candidates[k].spec, own, own_context);
                                });
    } catch (const ValueError& error) {
      if (reasons.empty()) first = std::current_exception();
      reasons.emplace_back(name, error.what());
      all.kernels.push_back({name, 0.0, error.what()});
      continue;
    }
    all.score = one.score;
    all.own_score = one.own_score;
    all.ties_by_grid_order = one.ties_by_grid_order;
    all.kernels.push_back({name, one.kernels.front().largest_eigenvalue, ""});
    for (LeftOut& point : one.left_out) {
      point.kernel = k;
      all.left_out.push_back(std::move(point));
    }
    for (GridScore& score : one.scores) {
      score.point.kernel = k;
      all.scores.push_back(std::move(score));
    }
    add_costs(one.costs, all.costs);
    warnings.emplace_back(name, std::move(one.warnings));
    all.seconds += one.seconds;
  }
  if (warnings.empty()) none_usable(reasons, first);
  for (const auto& [kernel, reason] : reasons) {
    all.warnings.push_back(fmt::format("kernel {} left out: {}", kernel, reason));
  }
  for (std::string& warning : joined_warnings(warnings)) all.warnings.push_back(std::move(warning));
  return all;
}

template <class OfGram>
Selection for_each_gram(const char* kind, const Dataset& dataset,
                        std::span<const KernelCandidate> candidates, const SelectOptions& options,
                        const Context& context, OfGram&& of_gram) {
  check_views(dataset, candidates);
  return for_each_kernel(
      kind, candidates, shared_distance(dataset, candidates, dataset.labels, {}, context), options,
      context,
      [&](const Specification& spec, const SelectOptions& own, const Context& own_context) {
        Dataset copy = dataset;
        const PreparedGram prepared = prepare_gram(copy, spec, own.execution, own_context.inner());
        return of_gram(*prepared.gram, own, own_context);
      });
}

}  // namespace

Selection select_kernels_by_split(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates,
                                  const FourWaySplit& split, Setting setting,
                                  const SelectOptions& options, const Context& context) {
  check_split(split, dataset.size(), "split");
  check_views(dataset, candidates);
  const std::vector<Index> visible =
      setting == Setting::inductive ? visible_samples(split) : std::vector<Index>{};
  Labels labels = dataset.labels;
  keep_only(labels, split.train);
  return for_each_kernel(
      to_string(setting), candidates,
      shared_distance(dataset, candidates, labels, visible, context), options, context,
      [&](const Specification& spec, const SelectOptions& own, const Context& own_context) {
        return select_by_split(dataset, spec, split, setting, own, own_context);
      });
}

std::vector<Selection> select_kernels_by_split(const Dataset& dataset,
                                               std::span<const KernelCandidate> candidates,
                                               const FourWaySplit& split,
                                               const SelectOptions& options,
                                               const Context& context) {
  const int threads = resolve_threads(context.threads);
  std::mutex reporting;
  const auto run = [&](Setting setting, int share) {
    Context own = context;
    own.threads = share;
    if (context.progress) {
      own.progress = [&](const Progress& progress) {
        const std::lock_guard lock(reporting);
        context.progress(progress);
      };
    }
    return select_kernels_by_split(dataset, candidates, split, setting, options, own);
  };
  std::vector<Selection> both;
  if (threads == 1) {
    both.push_back(run(Setting::transductive, 1));
    both.push_back(run(Setting::inductive, 1));
    return both;
  }
  std::future<Selection> inductive =
      std::async(std::launch::async, run, Setting::inductive, threads / 2);
  both.push_back(run(Setting::transductive, threads - threads / 2));
  both.push_back(inductive.get());
  return both;
}

Selection select_kernels_by_folds(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates, int folds,
                                  const SelectOptions& options, const Context& context) {
  return for_each_gram(
      "folds", dataset, candidates, options, context,
      [&](const GramOperator& gram, const SelectOptions& own, const Context& own_context) {
        return select_by_folds(gram, dataset.labels, folds, own, own_context);
      });
}

Selection select_kernels_by_folds(const Dataset& dataset,
                                  std::span<const KernelCandidate> candidates,
                                  const std::vector<Fold>& folds, const SelectOptions& options,
                                  const Context& context) {
  by_position(folds, dataset.labels);  // an error of the call, not of one kernel
  return for_each_gram(
      "own folds", dataset, candidates, options, context,
      [&](const GramOperator& gram, const SelectOptions& own, const Context& own_context) {
        return select_by_folds(gram, dataset.labels, folds, own, own_context);
      });
}

Selection select_kernels_by_leave_one_out(const Dataset& dataset,
                                          std::span<const KernelCandidate> candidates,
                                          const SelectOptions& options, const Context& context) {
  return for_each_gram(
      "leave-one-out", dataset, candidates, options, context,
      [&](const GramOperator& gram, const SelectOptions& own, const Context& own_context) {
        return select_by_leave_one_out(gram, dataset.labels, own, own_context);
      });
}

Selection select_kernels(const char* kind, std::span<const KernelCandidate> candidates,
                         const std::function<Selection(const Specification&, const SelectOptions&,
                                                       const Context&)>& select,
                         const SelectOptions& options, const Context& context) {
  return for_each_kernel(kind, candidates, {}, options, context, select);
}

}  // namespace stkr
