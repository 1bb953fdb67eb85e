#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "blas_threads.hpp"
#include "cli.hpp"
#include "command.hpp"
#include "console.hpp"
#include "data_summary.hpp"
#include "interrupt.hpp"
#include "json_text.hpp"
#include "stkr/dataset/generators.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/dataset/splits.hpp"
#include "stkr/model/fit_model.hpp"

namespace stkr::app {
namespace {

using Clock = std::chrono::steady_clock;

struct DemoArguments {
  CommonOptions common;
};

// A data set at training time: some samples are known, a few of them labeled, others arrive later.
struct Scene {
  std::string title;
  Dataset known;
  NewSamples arriving;
  ClassLabels arriving_labels;
  Index labeled = 0, per_class = 0;
};

Scene make_scene(const std::string& title, const Dataset& all, Index per_class, double arriving,
                 std::uint64_t seed) {
  const Split split = split_off_share(all.size(), arriving, seed);
  Scene scene;
  scene.title = title;
  scene.known = subset(all, split.kept);
  scene.known.truth = scene.known.labels;
  scene.arriving_labels = std::get<ClassLabels>(labels_of(all.labels, split.held_out));
  if (all.kind() == DatasetKind::graph) {
    scene.arriving.data = cross_edges(all.graph().adjacency, split.held_out, split.kept);
  } else {
    scene.arriving.data = all.points().values.dense().gather(split.held_out);
  }
  const auto labeled =
      labeled_per_class(std::get<ClassLabels>(scene.known.labels), per_class, seed);
  scene.labeled = static_cast<Index>(labeled.size());
  scene.per_class = per_class;
  keep_only(scene.known.labels, labeled);
  return scene;
}

// d of kernel PCA on the block model, somewhat above its five blocks; the default would be 128.
constexpr Index kBlockModelDimension = 8;

struct Contender {
  std::string name;
  Specification spec;
};

std::vector<Contender> contenders(bool graph) {
  Specification ridge, propagation, laplacian, power, pca;
  ridge.method = KernelRidgeSpec{};
  propagation.method = LabelPropagationSpec{};
  power.method = StkrSpec{.transform = SpectralTransform::power(8)};
  pca.method = KernelPcaSpec{};
  if (graph) pca.method = KernelPcaSpec{.dimension = kBlockModelDimension};
  std::vector<Contender> list{{"kernel ridge regression", ridge}};
  if (graph) list.push_back({"label propagation", propagation});
  list.push_back({"STKR, inverse Laplacian", laplacian});
  list.push_back({"STKR, power 8", power});
  list.push_back({"kernel PCA + linear probe", pca});
  return list;
}

struct Row {
  std::string data, method;
  double transductive, inductive, fit_seconds, predict_seconds;
};

Row compete(const Scene& scene, const Contender& contender, const CommonOptions& common) {
  Dataset dataset = scene.known;
  const auto start = Clock::now();
  const FittedModel result = fit_model(dataset, contender.spec, context_of(common));
  const auto fitted = Clock::now();
  const Predictions arriving = result.model.predict(scene.arriving);
  const auto predicted = Clock::now();
  const auto score = score_hidden(scene.known.truth, scene.known.labels, result.model.predict());
  return {scene.title,
          contender.name,
          score->accuracy,
          score_all(Score::accuracy, arriving, scene.arriving_labels),
          std::chrono::duration<double>(fitted - start).count(),
          std::chrono::duration<double>(predicted - fitted).count()};
}

int run_demo(DemoArguments& arguments) {
  arguments.common.threads = reserve_blas_buffers(arguments.common.threads);
  const CommonOptions& common = arguments.common;
  const std::vector<Index> blocks(5, 400);
  const std::vector<Scene> scenes{
      make_scene("digits", load_shipped("digits"), 10, 0.2, common.seed),
      make_scene("block model", stochastic_block_model(blocks, 0.05, 0.005, common.seed), 2, 0.2,
                 common.seed)};
  if (!common.json) {
    for (const Scene& scene : scenes) {
      fmt::print("{}: {} known samples, {} of them labeled, {} per class; {} new samples\n",
                 scene.title, with_commas(scene.known.size()), scene.labeled, scene.per_class,
                 with_commas(scene.arriving.count()));
    }
    fmt::print("\n");
  }
  std::vector<Row> results;
  const auto rows = static_cast<Index>(contenders(false).size() + contenders(true).size());
  ProgressBar bar(common.verbosity, common.json);
  for (const Scene& scene : scenes) {
    for (const Contender& contender : contenders(scene.known.kind() == DatasetKind::graph)) {
      bar.update({scene.title.c_str(), static_cast<Index>(results.size()), rows});
      results.push_back(compete(scene, contender, common));
    }
  }
  bar.clear();
  if (common.json) {
    nlohmann::json document = nlohmann::json::array();
    for (const Row& row : results) {
      document.push_back({{"data", row.data},
                          {"method", row.method},
                          {"transductive", row.transductive},
                          {"inductive", row.inductive},
                          {"fit_seconds", row.fit_seconds},
                          {"predict_seconds", row.predict_seconds}});
    }
    fmt::print("{}\n", json_text(document));
    return kDone;
  }
  std::vector<std::vector<std::string>> table{
      {"data", "method", "seen, unlabeled", "new samples", "fit", "predict"}};
  for (const Row& row : results) {
    table.push_back({row.data, row.method, fmt::format("{:.1f}%", 100 * row.transductive),
                     fmt::format("{:.1f}%", 100 * row.inductive),
                     fmt::format("{:.3f} s", row.fit_seconds),
                     fmt::format("{:.3f} s", row.predict_seconds)});
  }
  fmt::print("{}", format_table(table));
  fmt::print(
      "\nAccuracy on the known samples without a label (transductive) and on samples that the fit\n"
      "did not see (inductive). Kernel ridge regression uses only the labeled samples; the other\n"
      "methods use all of them. Set by hand: the power 8, and kernel PCA's d = {} on the block\n"
      "model. Everything else is stkr's default.\n",
      kBlockModelDimension);
  return kDone;
}

}  // namespace

Command add_demo_command(CLI::App& app) {
  auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command =
      app.add_subcommand("demo", "Compare the methods on handwritten digits and on a graph");
  add_common_options(*command, arguments->common);
  return {command, [arguments] { return run_demo(*arguments); }};
}

}  // namespace stkr::app
