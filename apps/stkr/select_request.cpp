#include "select_request.hpp"

#include <fmt/format.h>

#include <map>

#include "cli.hpp"
#include "file_roles.hpp"
#include "format/crc64.hpp"
#include "standard_streams.hpp"

namespace stkr::app {
namespace {

const std::map<std::string, ClassMassChoice> kClassMass{
    {"off", ClassMassChoice::off}, {"on", ClassMassChoice::on}, {"both", ClassMassChoice::both}};

std::vector<Setting> settings_of(const SelectArguments& arguments) {
  if (arguments.split.empty() || arguments.setting == "transductive") {
    return {Setting::transductive};
  }
  if (arguments.setting == "inductive") return {Setting::inductive};
  return {Setting::transductive, Setting::inductive};
}

}  // namespace

SelectRequest select_request(SelectArguments& arguments) {
  check_select_options(arguments);
  SelectRequest request{.spec = finish_kernel(arguments.spec),
                        .kernels = finish_kernel_grid(arguments.kernels, arguments.spec.kernel)};
  request.options.grid = finish_grid(arguments.grid);
  if (!arguments.score.empty()) request.options.score = score_from_name(arguments.score);
  request.options.class_mass = kClassMass.at(arguments.class_mass);
  request.options.literal_top_d = arguments.spec.literal_top_d;
  request.validation.settings = settings_of(arguments);
  if (arguments.folds > 0) request.validation.folds = arguments.folds;
  if (arguments.leave_one_out) request.validation.folds = 0;
  arguments.load.node_features = adds_point_kernel(request.spec) ||
                                 !request.kernels.mixes.empty() ||
                                 !request.kernels.smoothings.empty();
  if (!arguments.load.features_file.empty() && !arguments.load.node_features) {
    throw CLI::ValidationError(
        "--features", "no kernel uses the features; give --smoothings, --mixes or --add-kernel");
  }
  return request;
}

std::string split_checksum(const FourWaySplit& split) {
  Crc64 crc;
  for (const std::vector<Index>* part : {&split.train, &split.val, &split.test, &split.other}) {
    const auto size = static_cast<Index>(part->size());
    crc.update(std::as_bytes(std::span(&size, 1)));
    crc.update(std::as_bytes(std::span(*part)));
  }
  return fmt::format("{:016x}", crc.value());
}

void check_select_files(const SelectArguments& arguments) {
  FileRoles files;
  files.reads_dataset(arguments.input, arguments.load);
  files.reads("--split", arguments.split);
  files.writes_model("--output", arguments.output);
  files.writes("--plot", arguments.plot);
  files.writes("--html", arguments.html.file);
  files.writes_file("--checkpoint", arguments.checkpoint.file);
  files.check();
}

void check_folds(const SelectArguments& arguments, Index labeled, ValidationSpec& validation) {
  if (validation.split || validation.folds <= labeled) return;
  if (arguments.folds > 0) {
    throw CLI::ValidationError(
        "--folds", fmt::format("{} given, but only {} samples are labeled; use fewer folds, or "
                               "--leave-one-out",
                               arguments.folds, labeled));
  }
  note(
      fmt::format("only {} samples are labeled: each of them is left out in turn "
                  "(--leave-one-out) instead of {} folds",
                  labeled, validation.folds));
  validation.folds = 0;
}

}  // namespace stkr::app
