// Model::save and Model::load. A model is a sealed .npz with the arrays `coefficients`, `fitted`,
// those of the cross kernel as cross.<name>, `sample_names` if samples have names, and model.json
// for everything that is not an array.

#include "model/model_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>

#include "format/npz.hpp"
#include "model/calibration_json.hpp"
#include "model/encoding_json.hpp"
#include "model/model_cross_kernel.hpp"
#include "stkr/error.hpp"
#include "stkr/model/model.hpp"

namespace stkr {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "stkr-model";
// Version 4 adds the names of nodes (node_names), by which new nodes are matched; a reader of
// version 3 would match them by position. Version 5 stores names of samples of any kind, as
// sample_names, with what they are called, and the encoding of tables. A model without these is
// written as version 3.
constexpr int kFormatVersion = 3;
constexpr int kFormatVersionWithNodes = 4;  // read, no longer written
constexpr int kFormatVersionWithNames = 5;

// nlohmann's conversion accepts fractions, and is undefined for values out of range.
template <class T>
T whole(const json& value) {
  if (!value.is_number_integer() || value < std::numeric_limits<T>::min() ||
      value > std::numeric_limits<T>::max()) {
    throw ValueError(fmt::format("found {}; expected a whole number", value.type_name()));
  }
  return value.get<T>();
}

std::vector<Index> whole_numbers(const json& values) {
  if (!values.is_array()) throw ValueError("expected a list of whole numbers");
  std::vector<Index> result;
  for (const json& value : values) result.push_back(whole<Index>(value));
  return result;
}

std::vector<double> to_vector(const Vector& v) { return {v.begin(), v.end()}; }

Vector to_eigen(const std::vector<double>& v) {
  return Eigen::Map<const Vector>(v.data(), static_cast<Index>(v.size()));
}

// Flags as bytes; no flags, no array.
void save_flags(NpzWriter& writer, const char* name, const std::vector<char>& flags) {
  if (flags.empty()) return;
  writer.add(name, std::span<const std::uint8_t>(
                       reinterpret_cast<const std::uint8_t*>(flags.data()), flags.size()));
}

std::vector<char> load_flags(const NpzReader& reader, const char* name) {
  if (!reader.has_array(name)) return {};
  const std::vector<std::int64_t> values = reader.array(name).as_integers();
  if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0 && v != 1; })) {
    throw ValueError(fmt::format("{}: expected 0 or 1 per sample", name));
  }
  return {values.begin(), values.end()};
}

json decision_to_json(const Decision& decision) {
  if (const auto* classes = std::get_if<ClassDecision>(&decision)) {
    json tree{{"task", "classification"},
              {"names", classes->names},
              {"prior", to_vector(classes->prior)},
              {"labeled", classes->labeled},
              {"labeled_classes", classes->classes}};
    if (classes->boolean) tree["boolean"] = true;
    add_calibration(classes->calibration, tree);
    if (classes->factors.size() > 0) tree["class_mass_factors"] = to_vector(classes->factors);
    return tree;
  }
  const auto& targets = std::get<TargetDecision>(decision);
  return {{"task", "regression"},
          {"names", targets.names},
          {"mean", to_vector(targets.mean)},
          {"labeled", targets.labeled}};
}

Decision decision_from_json(const json& tree, Index size) {
  auto names = tree.at("names").get<std::vector<std::string>>();
  const bool classes = tree.at("task") == "classification";
  Vector values = to_eigen(tree.at(classes ? "prior" : "mean").get<std::vector<double>>());
  if (values.size() != static_cast<Index>(names.size())) {
    throw ValueError("the numbers of output names and values differ");
  }
  const auto within = [](const std::vector<Index>& indices, Index end) {
    return std::all_of(indices.begin(), indices.end(),
                       [end](Index i) { return i >= 0 && i < end; });
  };
  if (classes) {
    Vector factors;
    if (tree.contains("class_mass_factors")) {
      factors = to_eigen(tree["class_mass_factors"].get<std::vector<double>>());
      if (factors.size() != values.size() || !(factors.array() > 0.0).all() ||
          !factors.allFinite()) {
        throw ValueError("class_mass_factors: expected one positive number per class");
      }
    }
    auto labeled = whole_numbers(tree.at("labeled"));
    auto labeled_classes = whole_numbers(tree.at("labeled_classes"));
    if (labeled.size() != labeled_classes.size() || !within(labeled, size) ||
        !within(labeled_classes, values.size())) {
      throw ValueError("labeled: expected samples of the model, each with a class");
    }
    std::optional<Calibration> calibration = calibration_from_json(tree, names.size());
    return ClassDecision{std::move(names),           std::move(values),
                         std::move(factors),         std::move(labeled),
                         std::move(labeled_classes), tree.value("boolean", false),
                         std::move(calibration)};
  }
  // Models of version 0.1 do not list them.
  auto labeled = tree.contains("labeled") ? whole_numbers(tree["labeled"]) : std::vector<Index>();
  if (!within(labeled, size)) throw ValueError("labeled: expected samples of the model");
  return TargetDecision{std::move(names), std::move(values), std::move(labeled)};
}

json info_to_json(const ModelInfo& info, bool named) {
  json tree{{"stkr_version", info.version},
            {"method", info.method},
            {"transform", info.transform},
            {"kernel", info.kernel},
            {"samples", info.samples},
            {"labeled", info.labeled},
            {"beta", info.beta},
            {"data_fingerprint", info.data_fingerprint},
            {"solver",
             {{"name", info.solver},
              {"stop_reason", info.stop_reason},
              {"iterations", info.iterations},
              {"residual", info.residual}}}};
  if (!info.feature_names.empty()) tree["feature_names"] = info.feature_names;
  if (named) tree["id_column"] = info.id_column;
  if (!info.anndata_file.empty()) tree["anndata_file"] = info.anndata_file;
  if (info.encoding) tree["encoding"] = encoding_to_json(*info.encoding);
  if (!info.fit_arguments.empty()) {
    tree["fit"] = {{"arguments", info.fit_arguments}, {"folder", info.fit_folder}};
  }
  return tree;
}

ModelInfo info_from_json(const json& tree) {
  const json& solver = tree.at("solver");
  ModelInfo info;
  info.version = tree.at("stkr_version").get<std::string>();
  info.method = tree.at("method").get<std::string>();
  info.transform = tree.at("transform").get<std::string>();
  info.kernel = tree.at("kernel").get<std::string>();
  info.samples = tree.at("samples").get<std::string>();
  info.labeled = whole<Index>(tree.at("labeled"));
  info.beta = tree.at("beta").get<double>();
  info.data_fingerprint = tree.at("data_fingerprint").get<std::string>();
  info.solver = solver.at("name").get<std::string>();
  info.stop_reason = solver.at("stop_reason").get<std::string>();
  info.iterations = whole<int>(solver.at("iterations"));
  // A residual that is not finite is stored as null.
  info.residual = solver.at("residual").is_null() ? std::numeric_limits<double>::quiet_NaN()
                                                  : solver.at("residual").get<double>();
  info.feature_names = tree.value("feature_names", std::vector<std::string>());
  info.anndata_file = tree.value("anndata_file", std::string());
  if (tree.contains("encoding")) info.encoding = encoding_from_json(tree["encoding"]);
  if (tree.contains("fit")) {
    info.fit_arguments = tree["fit"].at("arguments").get<std::vector<std::string>>();
    info.fit_folder = tree["fit"].at("folder").get<std::string>();
  }
  return info;
}

}  // namespace

json model_metadata(const Model& model, bool named) {
  const bool old = !named && !model.info().encoding;
  return {
      {"format", kFormat},
      {"format_version", old ? kFormatVersion : kFormatVersionWithNames},
      {"info", info_to_json(model.info(), named)},
      {"decision", decision_to_json(model.decision())},
      {"evidence", {{"by_reach", model.evidence().by_reach}, {"floor", model.evidence().floor}}}};
}

Decision model_decision(const json& metadata, Index size) {
  return decision_from_json(metadata.at("decision"), size);
}

void Model::save(const std::filesystem::path& path) const {
  NpzWriter writer;
  const bool named = !info_.sample_names.empty();
  json metadata = model_metadata(*this, named);
  writer.add("coefficients", coefficients_);
  writer.add("fitted", fitted_);
  if (named) writer.add_strings("sample_names", info_.sample_names);
  if (const auto* numbers = std::get_if<TargetDecision>(&decision_);
      numbers && numbers->left_out_residuals.size() > 0) {
    writer.add("left_out_residuals", numbers->left_out_residuals);
  }
  save_flags(writer, "evidence_reached", evidence_.reached);
  save_flags(writer, "evidence_sources", evidence_.sources);
  metadata["cross"] = save_cross_kernel(*cross_, writer);
  writer.add_text(kModelMetadata, metadata.dump(2));
  writer.write(path, {.deflate = false, .seal = true});
}

namespace {

using CrossLoader = std::function<std::unique_ptr<CrossKernel>(const NpzReader&, const json&)>;

// A cross kernel that is loaded when it is first used.
class LaterCrossKernel final : public CrossKernel {
 public:
  LaterCrossKernel(Index known, std::function<std::unique_ptr<CrossKernel>()> load)
      : known_(known), load_(std::move(load)) {}

  Index known() const override { return known_; }
  std::optional<Index> features() const override { return loaded().features(); }
  double self_term() const override { return loaded().self_term(); }
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const override {
    return loaded().place(samples);
  }
  std::optional<std::vector<Index>> nearest(std::span<const Index> samples,
                                            std::span<const Index> among) const override {
    return loaded().nearest(samples, among);
  }
  void save(CrossKernelSink& sink) const override { loaded().save(sink); }

 private:
  const CrossKernel& loaded() const {
    std::call_once(once_, [&] { cross_ = load_(); });
    return *cross_;
  }

  Index known_;
  std::function<std::unique_ptr<CrossKernel>()> load_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<CrossKernel> cross_;
};

Model read_model(const std::filesystem::path& path, const CrossLoader& load_cross);

}  // namespace

Model Model::load(const std::filesystem::path& path, int threads, const Device& device) {
  return load(path, CrossKernelRegistry(), threads, device);
}

Model Model::load(const std::filesystem::path& path, const CrossKernelRegistry& registry,
                  int threads, const Device& device) {
  return read_model(path, [&](const NpzReader& reader, const json& metadata) {
    return load_cross_kernel(reader, metadata.at("cross"), registry, threads, device);
  });
}

Model Model::load_for_known(const std::filesystem::path& path, int threads, const Device& device) {
  return read_model(path, [&](const NpzReader& reader, const json&) {
    const Index known = reader.array("fitted").rows();
    return std::make_unique<LaterCrossKernel>(
        known, [path, threads, device] { return std::move(load(path, threads, device).cross_); });
  });
}

namespace {

Model read_model(const std::filesystem::path& path, const CrossLoader& load_cross) {
  const NpzReader reader(path, Seal::required);
  const auto damaged = [&](const std::string& what) {
    return DataError(fmt::format("{}: not a valid stkr model: {}", path.string(), what));
  };
  try {
    const json metadata = json::parse(reader.text(kModelMetadata));
    if (metadata.at("format") != kFormat) throw damaged("the format is not 'stkr-model'");
    const int version = whole<int>(metadata.at("format_version"));
    if (version < kFormatVersion || version > kFormatVersionWithNames) {
      throw DataError(fmt::format(
          "{}: model format version {}; this stkr reads versions {} to {}; fit the model again, "
          "or use the stkr that wrote it",
          path.string(), version, kFormatVersion, kFormatVersionWithNames));
    }
    std::unique_ptr<CrossKernel> cross = load_cross(reader, metadata);
    Fit fit;
    fit.coefficients = reader.array("coefficients").as_matrix();
    fit.fitted = reader.array("fitted").as_matrix();
    if (!fit.coefficients.allFinite() || !fit.fitted.allFinite()) {
      throw damaged("it contains values that are not finite");
    }
    const json& evidence = metadata.at("evidence");
    fit.evidence.by_reach = evidence.at("by_reach").get<bool>();
    fit.evidence.floor = evidence.at("floor").get<double>();
    fit.evidence.reached = load_flags(reader, "evidence_reached");
    fit.evidence.sources = load_flags(reader, "evidence_sources");
    const Index size = fit.fitted.rows();
    ModelInfo info = info_from_json(metadata.at("info"));
    if (version == kFormatVersionWithNodes) {
      info.sample_names = reader.array("node_names").as_strings();
      info.id_column = "node";
    } else if (version == kFormatVersionWithNames && reader.has_array("sample_names")) {
      info.sample_names = reader.array("sample_names").as_strings();
      info.id_column = metadata.at("info").at("id_column").get<std::string>();
    }
    Decision decision = decision_from_json(metadata.at("decision"), size);
    if (auto* numbers = std::get_if<TargetDecision>(&decision);
        numbers && reader.has_array("left_out_residuals")) {
      numbers->left_out_residuals = reader.array("left_out_residuals").as_matrix();
      if (numbers->left_out_residuals.cols() != numbers->mean.size() ||
          !numbers->left_out_residuals.allFinite()) {
        throw ValueError("left_out_residuals: expected a finite number per label and target");
      }
    }
    return Model(std::move(cross), std::move(fit), std::move(decision), std::move(info));
  } catch (const json::exception& error) {
    throw damaged(error.what());
  } catch (const ShapeError& error) {
    throw damaged(error.what());
  } catch (const ValueError& error) {
    throw damaged(error.what());
  }
}

}  // namespace

}  // namespace stkr
