#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stkr/model/fit_model.hpp"
#include "stkr/plan/plan.hpp"
#include "stkr/selection/grid.hpp"
#include "stkr/selection/select.hpp"

namespace stkr {

// How the points of a grid are scored: on the validation samples of a split, by folds, the
// caller's own or random ones, or by leaving each labeled sample out.
struct ValidationSpec {
  std::optional<FourWaySplit> split{};
  std::vector<Setting> settings{Setting::transductive};  // of a split
  std::vector<Fold> own_folds{};                         // without a split
  int folds = 5;                                         // without both; 0: leave-one-out
};

// The result of select_model.
struct ModelSelection {
  ValidationSpec validation{};
  Grid grid{};
  Plan plan{};                                // without strategies if the gram is the caller's own
  std::vector<KernelCandidate> candidates{};  // indexed by GridPoint::kernel
  std::vector<std::pair<Setting, Selection>> selections{};  // one per setting
  Labels truth{};                  // of all samples, before a split hides some
  std::vector<Index> validated{};  // the samples on which points are scored
  double seconds = 0.0;
  bool literal_top_d = false;  // SelectOptions

  // The specification of a point of a selection, with the β with which it was scored.
  Specification specification(const Selection& selection, std::size_t place) const;
};

// Scores every point of the grid with every kernel: plans the work for context.memory, runs the
// settings of a split in parallel, and warns about choices that know little. `spec` says everything
// that is not selected: kernel, precision, weights, decisions. Throws MemoryError if nothing fits,
// and ValueError if no point could be fitted.
ModelSelection select_model(const Dataset& dataset, const Specification& spec,
                            const KernelGrid& kernels, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context = {});

// The same with a gram of the caller's own, by folds or leave-one-out. Throws ValueError for a
// split, which needs the samples.
ModelSelection select_model(const GramOperator& gram, const Labels& labels,
                            const Specification& spec, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context = {});

// The gram of a specification's kernel, valid until the next call.
using GramOfKernel = std::function<const GramOperator&(const Specification&)>;

// The same with a gram of the caller's own for each kernel that is tried. If several processes
// share the samples, `labels` are those of this process's rows, and the labels and the samples of
// the result are those that are scored, numbered among themselves. Throws ValueError for the
// inductive setting of a split.
ModelSelection select_model(const GramOfKernel& gram_of, DatasetKind kind, const Labels& labels,
                            const SharedRows* rows, const Specification& spec,
                            const KernelGrid& kernels, const ValidationSpec& validation,
                            const SelectOptions& options, const Context& context = {});

// Fits the best point of the first setting to the samples and labels on which it was scored.
FittedModel fit_selected(const ModelSelection& selection, Dataset dataset,
                         const Context& context = {});

}  // namespace stkr
