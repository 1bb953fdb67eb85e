#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "console.hpp"
#include "plan/process_plan.hpp"
#include "session.hpp"
#include "shared_samples.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/model/fit_model.hpp"

// What the engine's commands share: samples of any kind, of which every process has some, and the
// grams of their kernels. Functions are called by all processes together.
namespace stkr::petsc {

// Samples of one kind.
class EngineProblem {
 public:
  virtual ~EngineProblem() = default;

  virtual DatasetKind kind() const = 0;
  virtual const SharedSamples& samples() const = 0;
  virtual SharedSamples& samples() = 0;

  // "graph.npz: graph of 5 nodes and 8 entries, 2 classes, 2 labeled"
  virtual std::string describe() const = 0;
  // What the process with the most samples has, for its memory.
  virtual ProcessShare share() const = 0;
  // What the model says about the data, before the samples are given up: their kind, the checksum
  // that one machine would compute, and names.
  virtual ModelInfo info() const = 0;
  // What one machine says about the labels, besides errors.
  virtual std::vector<std::string> warnings() const { return {}; }
  // Adds to the description of the data in --json what only this kind of samples has.
  virtual void add_facts(nlohmann::json& data) const = 0;
  // The gram of the kernel that the specification names, for the labels of the samples. `last`: the
  // samples are not needed again, and are given up. Throws CLI::ValidationError for a kernel that
  // the engine does not have.
  virtual PreparedGram prepare(const Specification& spec, const Context& context, bool last) = 0;
  // Adds to what --json says about the engine what a product with the last gram exchanges.
  virtual void add_exchange(nlohmann::json& engine) const = 0;
};

// What kind of samples a file has, in all processes, as the first one sees it. Throws if it does
// not exist, or is none that the engine reads.
DatasetKind kind_of(const Session& session, const std::string& input, const LoadOptions& load);

// Where samples come from, and which labels are kept.
struct ProblemSource {
  std::string input;
  LoadOptions load{};
  Index per_class = 0;  // 0: all
  std::uint64_t seed = 1;
  bool all_labels = false;  // also those that the file or an option hides: a split hides its own
};

// Reads the samples, shows how far that is, says the notes about them, and checks that some are
// labeled.
std::unique_ptr<EngineProblem> read_problem(const Session& session, const ProblemSource& source,
                                            app::ProgressBar& bar);

// Throws CLI::ValidationError unless the engine has everything that the specification asks for,
// except the kernel.
void check_supported(const Specification& spec);
// The engine computes in double precision, also where one machine would round points if memory
// were short.
Specification in_double(Specification spec);
// If a fit leaves the kernel of points open: the neighbor graph that is tried first if the labels
// choose its k (returns true), or that is used. Throws as check_supported if the engine cannot make
// all kernels that are tried.
bool leaves_kernel_open(const EngineProblem& problem, Specification& spec);
// The shape of all samples.
ProblemShape whole(const EngineProblem& problem);

// The least of what processes may use, so that all plan the same.
std::uint64_t least_memory(const Session& session, std::uint64_t own);

// The columns of targets: one per class or number.
Index outputs_of(const Labels& labels);

// "data" of --json.
nlohmann::json problem_json(const EngineProblem& problem);

// "engine" of --json, with the largest peak of memory so far.
nlohmann::json engine_json(const Session& session, int threads);

}  // namespace stkr::petsc
