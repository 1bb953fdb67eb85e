#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>

#include "dataset/save_dataset.hpp"
#include "mutators.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"
#include "target.hpp"

namespace stkr::fuzz {
namespace {

// The replay does not call mutators and is built without libFuzzer, which they need.
#ifdef STKR_FUZZ_MUTATORS
constexpr auto kNpy = mutate_npy, kNpz = mutate_npz, kCheckpoint = mutate_checkpoint,
               kState = mutate_state;
#else
constexpr decltype(&mutate_npy) kNpy = nullptr, kNpz = nullptr, kCheckpoint = nullptr,
                                kState = nullptr;
#endif

constexpr Target kTargets[] = {{"csv", run_csv, nullptr},
                               {"edge_list", run_edge_list, nullptr},
                               {"matrix_market", run_matrix_market, nullptr},
                               {"svmlight", run_svmlight, nullptr},
                               {"graphml", run_graphml, nullptr},
                               {"gzip", run_gzip, nullptr},
                               {"h5ad", run_h5ad, nullptr},
                               {"answers", run_answers, nullptr},
                               {"labels", run_labels, nullptr},
                               {"npy", run_npy, kNpy},
                               {"npz", run_npz, kNpz},
                               {"split", run_split, kNpz},
                               {"model", run_model, kNpz},
                               {"checkpoint", run_checkpoint, kCheckpoint},
                               {"state", run_state, kState},
                               {"options", run_options, nullptr}};

class Scratch {
 public:
  Scratch()
      : folder_(std::filesystem::temp_directory_path() /
                ("stkr_fuzz_" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

std::vector<double> sorted_weights(const Graph& graph) {
  std::vector<double> weights = graph.adjacency.value;
  std::sort(weights.begin(), weights.end());
  return weights;
}

}  // namespace

std::span<const Target> all_targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  const auto* found = std::find_if(std::begin(kTargets), std::end(kTargets),
                                   [&](const Target& target) { return target.name == name; });
  return found == std::end(kTargets) ? nullptr : found;
}

std::filesystem::path scratch_file(std::string_view name, Bytes content) {
  static const Scratch folder;
  const std::filesystem::path path = folder / name;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(content.data()),
             static_cast<std::streamsize>(content.size()));
  return path;
}

void write_and_read(const Dataset& dataset, std::string_view extension) {
  static const std::filesystem::path path = scratch_file("written", {});
  const std::filesystem::path file = path.string() + std::string(extension);
  std::filesystem::path labels = file;
  std::filesystem::remove(labels.replace_extension(".labels.txt"));
  LoadOptions options;
  options.kind = dataset.kind();
  try {
    for (const std::string& note : save_dataset(file, dataset)) {
      if (note.find("say --header") != std::string::npos) options.header = true;
    }
  } catch (const ValueError&) {
    return;  // the format cannot store it
  }
  options.most_dense_bytes = 1 << 24;
  Dataset again;
  try {
    again = load_dataset(file, options);
  } catch (const DataError& error) {
    // A text column x becomes features x=..., without which y may be the labels: the reader asks.
    if (std::string_view(error.what()).find("may all be the labels") == std::string_view::npos)
      throw;
    return;
  }
  // Numbers must not become classes, nor classes numbers. Some formats store no labels.
  if (!std::holds_alternative<std::monostate>(again.labels) &&
      again.labels.index() != dataset.labels.index()) {
    std::abort();
  }
  if (const auto* points = std::get_if<Points>(&dataset.samples)) {
    if (points->values.sparse()) {  // perhaps too many features to hold all values
      if (points->values != again.points().values) std::abort();
      return;
    }
    const Matrix &before = points->values.matrix(), &after = again.points().values.matrix();
    // svmlight does not store zeros, so trailing columns of zeros are lost.
    const Index columns = extension == ".svmlight" ? after.cols() : before.cols();
    if (before.leftCols(columns) != after) std::abort();
  } else if (const auto* graph = std::get_if<Graph>(&dataset.samples)) {
    // Nodes without edges may be lost, and names may come in another order; edges may not.
    if (sorted_weights(*graph) != sorted_weights(again.graph())) std::abort();
  } else if (dataset.kernel().values.matrix() != again.kernel().values.matrix()) {
    std::abort();
  }
}

void read_file(const std::filesystem::path& file,
               const std::function<void(const std::filesystem::path&)>& read) {
  try {
    read(file);
  } catch (const DataError& error) {
    if (std::string_view(error.what()).find(file.string()) != std::string_view::npos) return;
    std::cerr << "the message does not name the file: " << error.what() << "\n";
    std::abort();
  } catch (const Error&) {
    // An error that is independent of the file.
  }
}

}  // namespace stkr::fuzz
