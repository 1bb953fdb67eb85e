#include "refit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli.hpp"
#include "format/utf8.hpp"
#include "interrupt.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"
#include "stkr/selection/fit_automatic.hpp"

namespace stkr::app {
namespace {

namespace fs = std::filesystem;

// Relative to the largest fitted value, for the default tolerance of fits: other solvers and
// strategies end elsewhere within the tolerance.
constexpr double kAgreement = 1e-5;

bool exists(const fs::path& path) {
  std::error_code absent;
  return fs::exists(path, absent);
}

// The folder of a model file, with links resolved, so that ".." leads to where it leads the system.
fs::path folder_of(const std::string& model) {
  std::error_code failed;
  const fs::path place = fs::weakly_canonical(fs::absolute(model), failed);
  return (failed ? fs::path(model) : place).parent_path();
}

double tolerance_of(const MethodSpec& method) {
  if (const auto* stkr = std::get_if<StkrSpec>(&method)) return stkr->tolerance;
  return std::get<KernelRidgeSpec>(method).tolerance;
}

}  // namespace

void record_fit(Model& model, std::vector<std::string> words, const std::string& output) {
  // They belong to the run, not to the fit.
  for (const char* option : {"--memory", "--device"}) {
    const auto found = std::find(words.begin(), words.end(), option);
    if (found != words.end()) words.erase(found, found + 2);
  }
  std::error_code failed;
  std::string folder = fs::relative(fs::current_path(failed), folder_of(output), failed).string();
  if (failed) folder.clear();
  if (is_utf8(folder) && std::all_of(words.begin(), words.end(),
                                     [](const std::string& word) { return is_utf8(word); })) {
    model.set_fit_command(std::move(words), std::move(folder));
  }
}

void add_data_option(CLI::App& command, std::string& data) {
  command
      .add_option(
          "--data", data,
          "The samples that the model was fitted on, if they are no longer where they were: "
          "the fit is repeated")
      ->check(not_empty())
      ->check([](const std::string& path) {
        return std::string(path == "-" ? "standard input given; expected a file" : "");
      })
      ->option_text("FILE");
}

namespace {

// Finds the files of a fit as they were given, or as seen from the folder of the fit.
void find_files(const Model& model, const std::string& path, const std::string& data,
                const std::string& option, FitArguments& arguments) {
  const fs::path folder = folder_of(path) / model.info().fit_folder;
  // Names of arrays and columns are no files.
  const auto find = [&](std::string& name) {
    if (name.empty() || exists(name)) return;
    const std::string moved = (folder / name).lexically_normal().string();
    const std::string file = moved.substr(0, moved.rfind('['));  // index.npy[3]
    if (exists(moved) || exists(file)) name = moved;
  };
  find(arguments.load.labels);
  find(arguments.load.labeled);
  find(arguments.load.features_file);
  std::string& input = arguments.input;
  if (!data.empty()) {
    input = data;
    return;
  }
  const bool streamed = input == "-" || input.starts_with("/dev/");
  if (!streamed) find(input);
  const std::vector<ShippedInfo> shipped = shipped_datasets();
  const bool known = std::any_of(shipped.begin(), shipped.end(),
                                 [&](const ShippedInfo& one) { return one.name == input; });
  if (!streamed && (known || exists(input))) return;
  throw DataError(fmt::format("{}: {} repeats its fit, but {}; give these samples with --data",
                              path, option,
                              streamed ? "it was fitted on standard input"
                                       : fmt::format("{} is neither here nor in {}", input,
                                                     folder.lexically_normal().string())));
}

}  // namespace

RecordedFit recorded_fit(const Model& model, const std::string& path, const std::string& data,
                         const std::string& option) {
  std::vector<std::string> words = model.info().fit_arguments;
  if (words.empty()) {
    throw DataError(fmt::format(
        "{}: {} needs the kernel, which a model does not keep, and this one does not say how to "
        "repeat its fit: it was written by Python, C++, 'select --split' or an earlier version, or "
        "names are not UTF-8; fit it again with stkr fit",
        path, option));
  }
  words.insert(words.end(), {"--output", "model.npz"});  // which fit requires; it is not written
  std::reverse(words.begin(), words.end());              // the order that the parser expects
  RecordedFit result;
  CLI::App parser;
  add_fit_options(parser, result.arguments);
  try {
    parser.parse(std::move(words));
    result.spec = fit_specification(result.arguments);
  } catch (const CLI::ParseError& error) {
    throw DataError(fmt::format("{}: the command of its fit is not understood ({}); fit it again",
                                path, error.what()));
  }
  find_files(model, path, data, option, result.arguments);
  return result;
}

bool fitted_on(const Model& model, const Dataset& dataset) {
  // Features count only if the kernel was given; a choice may have added one.
  const std::string& expected = model.info().data_fingerprint;
  return fingerprint(dataset, true) == expected || fingerprint(dataset, false) == expected;
}

Refit::Refit(const Model& model, std::string path, const std::string& data, std::string option)
    : model_(model),
      path_(std::move(path)),
      option_(std::move(option)),
      fit_(recorded_fit(model, path_, data, option_)) {
  if (model.info().stop_reason != "converged") {
    throw DataError(
        fmt::format("{}: its fit did not converge ({}), so {} would be about other scores; fit it "
                    "again with more iterations or another solver",
                    path_, model.info().stop_reason, option_));
  }
  auto* stkr = std::get_if<StkrSpec>(&fit_.spec.method);
  if (!stkr && !std::holds_alternative<KernelRidgeSpec>(fit_.spec.method)) {
    throw CLI::ValidationError(
        option_, fmt::format("{} is a model of {}, which has no system of its labels; fit with "
                             "--method stkr or kernel-ridge",
                             path_, model.info().method));
  }
  fit_.spec.keep_system = true;
  // With the paper's beta, only a formed system knows its ridge.
  if (stkr && std::holds_alternative<PaperBeta>(stkr->ridge)) stkr->solver = StkrSolver::direct;
}

void Refit::add_files(FileRoles& files) const {
  files.reads_dataset(fit_.arguments.input, fit_.arguments.load);
}

Refitted Refit::run(const MemoryOption& memory, const CommonOptions& common) {
  Context context = context_of(common, allowed_memory(memory));
  context.seed = fit_.arguments.common.seed;
  check_reading(fit_.arguments.input, fit_.arguments.load, context.memory);
  ProgressBar bar(common.verbosity, common.json);
  Dataset dataset = read_fit_samples(fit_.arguments, bar);
  if (!fitted_on(model_, dataset)) {
    throw DataError(fmt::format(
        "{}: its samples or labels are not those that {} was fitted on ({} samples, {} labeled); "
        "give those with --data, or fit again",
        fit_.arguments.input, path_, model_.size(), model_.info().labeled));
  }
  context.progress = [&](const Progress& progress) { bar.update(progress); };
  AutomaticFit automatic = fit_automatic(dataset, fit_.spec, context);
  if (automatic.fitted.summary.solve.reason == StopReason::cancelled) {
    throw Cancelled("interrupted");
  }
  check_agreement(automatic.fitted.model);
  return {std::move(automatic.fitted.system), std::move(dataset.labels)};
}

void Refit::check_agreement(const Model& repeated) const {
  const Matrix& before = model_.fitted();
  const Matrix& after = repeated.fitted();
  const double scale = before.cwiseAbs().maxCoeff();
  const double most = std::max(kAgreement, 1000.0 * tolerance_of(fit_.spec.method)) * scale;
  if (after.rows() == before.rows() && after.cols() == before.cols() &&
      (after - before).cwiseAbs().maxCoeff() <= most) {
    return;
  }
  throw DataError(fmt::format(
      "{}: its fit was repeated, but does not agree with the model, of version {}; fit it again",
      path_, model_.info().version));
}

}  // namespace stkr::app
