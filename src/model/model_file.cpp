// Model::save and Model::load. A model is a sealed .npz with the arrays `coefficients`, `fitted`,
// those of the cross kernel as cross.<name>, `node_names` if nodes have names, and model.json for
// everything that is not an array.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "format/npz.hpp"
#include "stkr/error.hpp"
#include "stkr/model/model.hpp"

namespace stkr {
namespace {

using nlohmann::json;

constexpr const char* kFormat = "stkr-model";
// Version 4 adds node_names, by which new nodes are matched; a reader of version 3 would match them
// by position. A model without node names is written as version 3.
constexpr int kFormatVersion = 3;
constexpr int kFormatVersionWithNames = 4;
constexpr const char* kMetadata = "model.json";

// Writes texts and numbers into a JSON tree, and arrays into the archive.
class NpzCrossSink : public CrossKernelSink {
 public:
  NpzCrossSink(NpzWriter& writer, json& tree, std::string prefix)
      : writer_(writer), tree_(tree), prefix_(std::move(prefix)) {}

  void text(std::string_view name, std::string_view value) override {
    tree_[std::string(name)] = value;
  }
  void number(std::string_view name, double value) override { tree_[std::string(name)] = value; }
  void array(std::string_view name, Index rows, Index cols,
             std::span<const double> values) override {
    writer_.add(prefix_ + std::string(name), values, {rows, cols});
  }
  void array(std::string_view name, Index rows, Index cols,
             std::span<const float> values) override {
    writer_.add(prefix_ + std::string(name), values, {rows, cols});
  }
  void indices(std::string_view name, std::span<const std::int32_t> values) override {
    writer_.add(prefix_ + std::string(name), values);
  }
  void part(std::string_view name, const CrossKernel& part) override {
    json& child = tree_[std::string(name)] = json::object();
    NpzCrossSink sink(writer_, child, prefix_ + std::string(name) + ".");
    part.save(sink);
  }

 private:
  NpzWriter& writer_;
  json& tree_;
  std::string prefix_;
};

class NpzCrossSource : public CrossKernelSource {
 public:
  NpzCrossSource(const NpzReader& reader, const json& tree, std::string prefix, int threads)
      : reader_(reader), tree_(tree), prefix_(std::move(prefix)), threads_(threads) {}

  std::string text(std::string_view name) override {
    return tree_.at(std::string(name)).get<std::string>();
  }
  double number(std::string_view name) override {
    return tree_.at(std::string(name)).get<double>();
  }
  std::variant<Matrix, MatrixF> array(std::string_view name) override {
    NpyArray array = reader_.array(prefix_ + std::string(name));
    if (array.header().kind == 'f' && array.header().item_size == sizeof(float)) {
      return array.as_float_matrix();
    }
    return array.as_matrix();
  }
  std::vector<std::int32_t> indices(std::string_view name) override {
    const std::string member = prefix_ + std::string(name);
    std::vector<std::int32_t> result;
    for (const std::int64_t value : reader_.array(member).as_integers()) {
      if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
        throw DataError(fmt::format("'{}' contains {}; expected an index", member, value));
      }
      result.push_back(static_cast<std::int32_t>(value));
    }
    return result;
  }
  std::unique_ptr<CrossKernel> part(std::string_view name) override {
    NpzCrossSource source(reader_, tree_.at(std::string(name)), prefix_ + std::string(name) + ".",
                          threads_);
    return load_cross_kernel(source);
  }
  int threads() const override { return threads_; }

 private:
  const NpzReader& reader_;
  const json& tree_;
  std::string prefix_;
  int threads_;
};

// Cross kernels do not know their file: adds the path to the message if it is missing.
std::unique_ptr<CrossKernel> load_cross(const NpzReader& reader, const json& tree, int threads) {
  try {
    NpzCrossSource source(reader, tree, "cross.", threads);
    return load_cross_kernel(source);
  } catch (const DataError& error) {
    const std::string what = error.what();
    if (what.starts_with(reader.shown_path())) throw;
    throw DataError(fmt::format("{}: not a valid stkr model: {}", reader.shown_path(), what));
  }
}

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
    if (classes->factors.size() > 0) tree["class_mass_factors"] = to_vector(classes->factors);
    return tree;
  }
  const auto& targets = std::get<TargetDecision>(decision);
  return {{"task", "regression"}, {"names", targets.names}, {"mean", to_vector(targets.mean)}};
}

Decision decision_from_json(const json& tree, Index size) {
  auto names = tree.at("names").get<std::vector<std::string>>();
  const bool classes = tree.at("task") == "classification";
  Vector values = to_eigen(tree.at(classes ? "prior" : "mean").get<std::vector<double>>());
  if (values.size() != static_cast<Index>(names.size())) {
    throw ValueError("the numbers of output names and values differ");
  }
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
    const auto within = [](const std::vector<Index>& indices, Index end) {
      return std::all_of(indices.begin(), indices.end(),
                         [end](Index i) { return i >= 0 && i < end; });
    };
    if (labeled.size() != labeled_classes.size() || !within(labeled, size) ||
        !within(labeled_classes, values.size())) {
      throw ValueError("labeled: expected samples of the model, each with a class");
    }
    return ClassDecision{std::move(names),           std::move(values),
                         std::move(factors),         std::move(labeled),
                         std::move(labeled_classes), tree.value("boolean", false)};
  }
  return TargetDecision{std::move(names), std::move(values)};
}

json info_to_json(const ModelInfo& info) {
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
  return info;
}

}  // namespace

void Model::save(const std::filesystem::path& path) const {
  NpzWriter writer;
  const bool named = !info_.node_names.empty();
  json metadata{{"format", kFormat},
                {"format_version", named ? kFormatVersionWithNames : kFormatVersion}};
  metadata["info"] = info_to_json(info_);
  metadata["decision"] = decision_to_json(decision_);
  writer.add("coefficients", coefficients_);
  writer.add("fitted", fitted_);
  if (named) writer.add_strings("node_names", info_.node_names);
  metadata["evidence"] = {{"by_reach", evidence_.by_reach}, {"floor", evidence_.floor}};
  save_flags(writer, "evidence_reached", evidence_.reached);
  save_flags(writer, "evidence_sources", evidence_.sources);
  json& cross = metadata["cross"] = json::object();
  NpzCrossSink sink(writer, cross, "cross.");
  cross_->save(sink);
  writer.add_text(kMetadata, metadata.dump(2));
  writer.write(path, {.deflate = false, .seal = true});
}

Model Model::load(const std::filesystem::path& path, int threads) {
  const NpzReader reader(path, Seal::required);
  const auto damaged = [&](const std::string& what) {
    return DataError(fmt::format("{}: not a valid stkr model: {}", path.string(), what));
  };
  try {
    const json metadata = json::parse(reader.text(kMetadata));
    if (metadata.at("format") != kFormat) throw damaged("the format is not 'stkr-model'");
    const int version = whole<int>(metadata.at("format_version"));
    if (version != kFormatVersion && version != kFormatVersionWithNames) {
      throw DataError(fmt::format(
          "{}: model format version {}; this stkr reads versions {} and {}; fit the model again, "
          "or use the stkr that wrote it",
          path.string(), version, kFormatVersion, kFormatVersionWithNames));
    }
    std::unique_ptr<CrossKernel> cross = load_cross(reader, metadata.at("cross"), threads);
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
    if (version == kFormatVersionWithNames)
      info.node_names = reader.array("node_names").as_strings();
    return Model(std::move(cross), std::move(fit),
                 decision_from_json(metadata.at("decision"), size), std::move(info));
  } catch (const json::exception& error) {
    throw damaged(error.what());
  } catch (const ShapeError& error) {
    throw damaged(error.what());
  } catch (const ValueError& error) {
    throw damaged(error.what());
  }
}

}  // namespace stkr
