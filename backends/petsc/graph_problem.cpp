#include "graph_problem.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "data_summary.hpp"
#include "engine_commands.hpp"
#include "interrupt.hpp"
#include "model/prepare_gram.hpp"
#include "shared_graph_gram.hpp"
#include "shared_statistics.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

class GraphProblem final : public EngineProblem {
 public:
  explicit GraphProblem(SharedGraph graph) : graph_(std::move(graph)) {
    const RowLayout& layout = *graph_.layout;
    Matrix most(1, 2);  // the fewest rows are negative
    most << static_cast<double>(graph_.rows.entries()), -static_cast<double>(layout.count());
    layout.largest(most);
    share_ = {layout.most(), static_cast<Index>(-most(0, 1)), static_cast<Index>(most(0, 0))};
  }

  DatasetKind kind() const override { return DatasetKind::graph; }
  const SharedSamples& samples() const override { return graph_; }
  SharedSamples& samples() override { return graph_; }

  std::string describe() const override {
    return app::describe_graph(graph_.name, graph_.layout->size(), graph_.entries, graph_.labels,
                               graph_.labeled);
  }

  ProcessShare share() const override {
    ProblemShape whole;
    whole.kind = DatasetKind::graph;
    whole.samples = graph_.layout->size();
    whole.labeled = graph_.labeled;
    whole.outputs = outputs_of(graph_.labels);
    whole.names = graph_.id_bytes;
    return graph_process_share(whole, share_);
  }

  ModelInfo info() const override {
    ModelInfo info;
    info.samples = std::string(kind_name(kind()));
    info.data_fingerprint = fingerprint(graph_);
    info.id_column = graph_.id_column;
    return info;
  }

  void add_facts(nlohmann::json& data) const override {
    app::add_graph_json(shared_statistics(graph_), data);
  }

  PreparedGram prepare(const Specification& spec, const Context& context, bool last) override {
    const KernelSpec kernel = spec.kernel.resolved(DatasetKind::graph);
    const auto* of_graph = kernel.get_if<GraphKernelSpec>();
    if (!of_graph) refuse("--kernel", "use a kernel of graphs");
    if (graph_.entries == 0) {
      throw ValueError("the graph has no edges, so there is nothing to learn from");
    }
    const bool is_default = spec.kernel.get_if<AutomaticKernelSpec>() != nullptr;
    PreparedGram prepared;
    prepared.choices.push_back(graph_kernel_choice(*of_graph, is_default));
    CsrMatrix rows = last ? std::move(graph_.rows) : graph_.rows;
    auto gram = std::make_unique<SharedGraphGram>(
        graph_.layout, std::move(rows),
        SharedGraphOptions{
            .normalization = of_graph->normalization,
            .add_self_loops = of_graph->self_loops,
            .threads = context.threads,
            .cancelled = [token = app::interrupt_token()] { return token.stop_requested(); }});
    const GraphDegrees& degrees = gram->node_degrees();
    halo_ = gram->matrix().halo().size();
    prepared.gram = std::move(gram);
    finish_gram(spec, kernel, &degrees, prepared);
    return prepared;
  }

  void add_exchange(nlohmann::json& engine) const override {
    // A product with C columns moves 8 C bytes per row of the halo.
    const double rows = sum_over(graph_.layout.get(), static_cast<double>(halo_));
    engine["halo_rows"] = static_cast<Index>(rows);
  }

 private:
  SharedGraph graph_;
  GraphShare share_;      // before the rows are given up
  std::size_t halo_ = 0;  // rows, of the gram prepared last
};

}  // namespace

std::unique_ptr<EngineProblem> graph_problem(SharedGraph graph) {
  return std::make_unique<GraphProblem>(std::move(graph));
}

std::unique_ptr<EngineProblem> read_graph_problem(const Session& session,
                                                  const ProblemSource& source) {
  return graph_problem(
      read_graph(session.comm(), source.input, source.load, source.per_class, source.seed));
}

}  // namespace stkr::petsc
