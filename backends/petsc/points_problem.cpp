#include "points_problem.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "interrupt.hpp"
#include "model/label_warnings.hpp"
#include "model/prepare_gram.hpp"
#include "runtime/byte_count.hpp"
#include "shared_kernel_gram.hpp"
#include "shared_length_scale.hpp"
#include "shared_neighbor_gram.hpp"
#include "shared_points.hpp"

namespace stkr::petsc {
namespace {

class PointsProblem final : public EngineProblem {
 public:
  explicit PointsProblem(SharedPoints points)
      : points_(std::move(points)), features_(points_.rows.cols()) {}

  DatasetKind kind() const override { return DatasetKind::points; }
  const SharedSamples& samples() const override { return points_; }
  SharedSamples& samples() override { return points_; }

  std::string describe() const override {
    return app::describe_points(points_.name, points_.layout->size(), features_, points_.labels,
                                points_.labeled);
  }

  ProcessShare share() const override {
    ProcessShare share;
    ProblemShape& shape = share.shape;
    shape.kind = DatasetKind::points;
    shape.samples = std::max<Index>(points_.layout->most(), 1);
    shape.features = features_;
    shape.labeled = points_.labeled;
    shape.outputs = outputs_of(points_.labels);
    // Rows as they are read, or a block of points that is here and the two that pass by.
    shape.reading = byte_count(shape.samples, 24.0 * static_cast<double>(shape.features));
    // The neighbors of its points can be all others.
    share.others = points_.layout->size() - std::min(points_.layout->size(), shape.samples);
    return share;
  }

  ModelInfo info() const override {
    ModelInfo info;
    info.samples = std::string(kind_name(kind()));
    info.data_fingerprint = fingerprint(points_);
    info.feature_names = points_.feature_names;
    info.encoding = points_.encoding;
    return info;
  }

  std::vector<std::string> warnings() const override {
    const auto* own = std::get_if<ClassLabels>(&points_.labels);
    if (!own) return {};
    const std::vector<Index> numbers = all_labeled(points_);
    ClassLabels classes{own->names, {}, own->boolean};
    std::vector<Index> codes;
    for (const Index i : labeled_indices(points_.labels)) {
      codes.push_back(own->code[static_cast<std::size_t>(i)]);
    }
    for (const Index code : points_.layout->joined(codes)) {
      classes.code.push_back(static_cast<std::int32_t>(code));
    }
    return label_warnings(gathered_rows(*points_.layout, points_.rows, numbers), classes, numbers);
  }

  void add_facts(nlohmann::json& data) const override { data["features"] = features_; }

  PreparedGram prepare(const Specification& spec, const Context& context, bool last) override {
    const KernelSpec kernel = spec.kernel.resolved(DatasetKind::points);
    if (spec.measure == Measure::degree) refuse("--measure", "say --measure uniform");
    Context own = context;
    own.cancel = app::interrupt_token();  // what one process throws, all throw
    const SharedMatrix rows = last ? std::exchange(points_.rows, {}) : points_.rows;
    PreparedGram prepared;
    if (const auto* graph = kernel.get_if<NeighborGraphSpec>()) {
      prepared.gram = neighbor_gram(rows, *graph, own, prepared.choices);
    } else {
      const bool is_default = spec.kernel.get_if<AutomaticKernelSpec>() != nullptr;
      prepared.gram =
          kernel_gram(rows, *kernel.get_if<PointKernelSpec>(), is_default, own, prepared.choices);
    }
    const auto* graph_gram = dynamic_cast<const SharedGraphGram*>(prepared.gram.get());
    halo_ = graph_gram ? std::optional(graph_gram->matrix().halo().size()) : std::nullopt;
    finish_gram(spec, kernel, nullptr, prepared);
    return prepared;
  }

  void add_exchange(nlohmann::json& engine) const override {
    const auto all = [&](Index own) {
      return static_cast<Index>(sum_over(points_.layout.get(), static_cast<double>(own)));
    };
    if (halo_) {
      engine["halo_rows"] = all(static_cast<Index>(*halo_));
    } else {
      engine["passed_rows"] = all(SharedKernelOperator::passed_rows(*points_.layout));
    }
  }

 private:
  std::unique_ptr<GramOperator> neighbor_gram(const SharedMatrix& rows,
                                              const NeighborGraphSpec& spec, const Context& context,
                                              std::vector<Choice>& choices) const {
    if (spec.recall < 1.0) refuse("--recall", "omit it: the search is exact");
    if (spec.components > 0 && spec.components != rows.cols()) {
      refuse("--principal-components", "omit it: neighbors are those in all features");
    }
    const NeighborGraphOptions options = neighbor_options(spec, points_.layout->size());
    auto gram = std::make_unique<SharedNeighborGram>(
        points_.layout, shared_neighbor_graph(points_.layout, rows, options, context), options,
        all_labeled(points_),
        SharedGraphOptions{
            .normalization = options.normalization,
            .threads = context.threads,
            .cancelled = [token = context.cancel] { return token.stop_requested(); }});
    choices.push_back(neighbor_kernel_choice(spec, options, gram->length_scale(), 0, 1.0));
    return gram;
  }

  std::unique_ptr<GramOperator> kernel_gram(const SharedMatrix& rows, const PointKernelSpec& spec,
                                            bool is_default, const Context& context,
                                            std::vector<Choice>& choices) const {
    Kernel kernel = spec.kernel;
    std::string why;
    if (kernel.has_length_scale()) {
      const ChosenScale chosen =
          shared_length_scale(kernel, spec.length_scale, points_, rows, context);
      kernel = kernel.with_length_scale(chosen.value);
      why = chosen.why;
    }
    choices.push_back(point_kernel_choice(kernel, why, is_default));
    return std::make_unique<SharedKernelGram>(
        points_.layout, rows, kernel,
        SharedKernelOptions{
            .threads = context.threads, .cancel = context.cancel, .labeled = all_labeled(points_)});
  }

  SharedPoints points_;
  Index features_;                   // the rows may have been given up
  std::optional<std::size_t> halo_;  // rows, of the gram prepared last if it is a graph's
};

}  // namespace

std::unique_ptr<EngineProblem> read_points_problem(const Session& session,
                                                   const ProblemSource& source) {
  return std::make_unique<PointsProblem>(
      read_points(session.comm(), source.input, source.load, source.per_class, source.seed));
}

}  // namespace stkr::petsc
