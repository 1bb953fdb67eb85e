#include "selection/plan_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plan/gram_cost.hpp"
#include "plan/make_plan.hpp"
#include "runtime/parallel.hpp"
#include "selection/resolvent_blocks.hpp"

namespace stkr {
namespace {

// A generous bound on the steps of the block Krylov space for the inverse Laplacians.
constexpr double kResolventSteps = 100.0;

template <class T>
double largest(const std::vector<T>& values) {
  return values.empty() ? 0.0
                        : static_cast<double>(*std::max_element(values.begin(), values.end()));
}

// One way to select, with all settings fixed. Families run one after the other; the settings of a
// split run in parallel.
class SelectionCost {
 public:
  SelectionCost(const ProblemShape& shape, const Specification& spec, const Execution& execution,
                const Grid& grid, const Validation& validation, const Context& context)
      : shape_(shape),
        spec_(spec),
        execution_(execution),
        grid_(grid),
        validation_(validation),
        threads_(context.threads),
        gram_(gram_memory(shape, spec, execution)),
        solve_(solve_shape(shape, spec, gram_)),
        labels_(static_cast<double>(std::max<Index>(shape.labeled, 1))),
        rows_(labels_ + static_cast<double>(validation.scored)) {
    const double column = 8.0 * static_cast<double>(std::max<Index>(shape.samples, 1));
    batch_ =
        std::clamp(std::floor(static_cast<double>(execution.block_bytes) / column), 1.0, labels_);
  }

  Strategy strategy() {
    Strategy result;
    result.name = fmt::format("{}, {} of {} labels at a time",
                              describe_gram(shape_, spec_, execution_), batch_, labels_);
    result.execution = execution_;
    MemoryUse reading{"reading", program_memory(shape_, threads_)};
    reading.samples = shape_.reading;
    MemoryUse preparing = held();
    preparing.phase = "preparing";
    preparing.gram += gram_.preparing;
    result.peak = reading;
    result.work.pairs = neighbor_pairs(shape_, spec_);
    for (const MemoryUse& use : {preparing, families(result.work)}) {
      if (use.total() > result.peak.total()) result.peak = use;
    }
    result.expected = result.peak.total();
    return result;
  }

 private:
  std::uint64_t blocks(double columns, double count) const {
    return static_cast<std::uint64_t>(8.0 * static_cast<double>(shape_.samples) * columns * count);
  }

  MemoryUse held() const {
    MemoryUse use{"solving", program_memory(shape_, threads_)};
    // The data set, the samples of every gram, and those that place new samples.
    std::uint64_t copies = validation_.settings.empty() ? 2 : 1,
                  grams = validation_.settings.empty();
    for (const Setting setting : validation_.settings) {
      copies += setting == Setting::inductive ? 3 : 1;
      grams += 1;
    }
    use.samples = copies * gram_.samples;
    use.gram = grams * gram_.gram;
    return use;
  }

  // The peak of a family, for each setting that runs in parallel.
  MemoryUse families(Work& work) {
    const double scratch = static_cast<double>(gram_.scratch);
    const double batches = std::ceil(labels_ / batch_);
    const auto settings =
        static_cast<std::uint64_t>(std::max<std::size_t>(validation_.settings.size(), 1));
    std::uint64_t most_blocks = 0, most_system = 0;
    const auto family = [&](std::uint64_t in_blocks, double parameters, double more_doubles) {
      // An eigendecomposition per parameter, and the ridges of its folds.
      work.algebra += parameters * 20.0 * labels_ * labels_ * labels_;
      // One block of K̂_s per parameter; eigenvectors and copies of it for each thread.
      const double threads = resolve_threads(threads_);
      const double system =
          parameters * rows_ * labels_ + more_doubles +
          std::min(parameters, threads) * (4.0 * labels_ * labels_ + 2.0 * rows_ * labels_);
      const auto in_system = static_cast<std::uint64_t>(8.0 * system);
      if (in_blocks + in_system > most_blocks + most_system) {
        most_blocks = in_blocks;
        most_system = in_system;
      }
    };
    const auto count = [](const auto& values) { return static_cast<double>(values.size()); };
    const auto multiply = [&](double products, double columns) {
      add_products(shape_, spec_, execution_, products, columns, work);
    };
    if (gram_.scratch > 0) multiply(1.0, 1.0);
    double degree = largest(grid_.powers);
    for (const auto& pi : grid_.polynomials) degree = std::max(degree, count(pi));
    if (degree > 0.0) {
      family(blocks(batch_, 3.0 + scratch), count(grid_.powers) + count(grid_.polynomials), 0.0);
      multiply(batches * degree, batch_);
    }
    if (!grid_.times.empty()) {
      family(blocks(batch_, 5.0 + scratch), count(grid_.times), 0.0);
      multiply(batches * diffusion_products(largest(grid_.times)), batch_);
    }
    std::uint64_t eigenvectors = 0;
    if (!grid_.dimensions.empty()) {
      const auto most = static_cast<Index>(largest(grid_.dimensions)) + 1;
      const Index d = std::min(most, std::max<Index>(shape_.samples - shape_.labeled, 1));
      const auto columns = static_cast<double>(d);
      eigenvectors = blocks(columns, 1.0);
      family(std::max(eigenvector_memory(solve_, d, execution_.diagonalize_below).most,
                      blocks(columns, 4.0 + scratch)),
             count(grid_.dimensions), rows_ * columns);
      multiply(200.0, columns);
    }
    if (!grid_.etas.empty() || !grid_.poisson_etas.empty()) {
      const auto columns =
          static_cast<double>(resolvent_labels(solve_.entries > 0, static_cast<Index>(batch_)));
      const double steps = kResolventSteps * columns * (rows_ + 4.0 * columns);
      family(eigenvectors + blocks(columns, 9.0 + scratch),
             count(grid_.etas) + count(grid_.poisson_etas), steps);
      multiply(std::ceil(labels_ / columns) * kResolventSteps, columns);
    }
    if (!grid_.propagation_etas.empty() && !grid_.propagation_steps.empty()) {
      const double columns =
          validation_.settings.empty() ? labels_ : static_cast<double>(shape_.outputs);
      family(blocks(columns, 4.0 + scratch), 1.0, count(grid_.propagation_etas) * rows_ * columns);
      multiply(largest(grid_.propagation_steps), columns);
    }
    MemoryUse use = held();
    use.blocks = settings * most_blocks;
    use.system = settings * most_system;
    return use;
  }

  const ProblemShape& shape_;
  const Specification& spec_;
  const Execution& execution_;
  const Grid& grid_;
  const Validation& validation_;
  int threads_;
  GramMemory gram_;
  SolveShape solve_;
  double labels_;  // n
  double rows_;    // of a block of K̂_s: labeled and scored samples
  double batch_ = 1.0;
};

}  // namespace

Plan plan_selection(const ProblemShape& shape, const Specification& spec, const Grid& grid,
                    const Validation& validation, const Context& context) {
  const auto price = [&](const Execution& way) {
    return SelectionCost(shape, spec, way, grid, validation, context).strategy();
  };
  const Thrift thrift{.widest = std::max<Index>(shape.labeled, 1)};
  return make_plan(
      shape, gram_executions(shape, spec, price({}).work.products),
      [&](const Execution&) { return thrift; }, price, context);
}

}  // namespace stkr
