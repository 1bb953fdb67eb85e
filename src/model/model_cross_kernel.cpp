#include "model/model_cross_kernel.hpp"

#include <fmt/format.h>

#include <limits>

#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

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
  NpzCrossSource(const NpzReader& reader, const json& tree, std::string prefix, int threads,
                 const Device& device)
      : reader_(reader),
        tree_(tree),
        prefix_(std::move(prefix)),
        threads_(threads),
        device_(device) {}

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
  std::unique_ptr<CrossKernelSource> part(std::string_view name) override {
    return std::make_unique<NpzCrossSource>(reader_, tree_.at(std::string(name)),
                                            prefix_ + std::string(name) + ".", threads_, device_);
  }
  int threads() const override { return threads_; }
  Device device() const override { return device_; }

 private:
  const NpzReader& reader_;
  const json& tree_;
  std::string prefix_;
  int threads_;
  Device device_;
};

}  // namespace

json save_cross_kernel(const CrossKernel& cross, NpzWriter& writer) {
  json tree = json::object();
  NpzCrossSink sink(writer, tree, "cross.");
  cross.save(sink);
  return tree;
}

std::unique_ptr<CrossKernel> load_cross_kernel(const NpzReader& reader, const json& tree,
                                               const CrossKernelRegistry& registry, int threads,
                                               const Device& device) {
  try {
    NpzCrossSource source(reader, tree, "cross.", threads, device);
    return load_cross_kernel(source, registry);
  } catch (const DataError& error) {
    // Cross kernels do not know their file.
    const std::string what = error.what();
    if (what.starts_with(reader.shown_path())) throw;
    throw DataError(
        fmt::format("{}: cannot load the kernel of this model: {}", reader.shown_path(), what));
  }
}

}  // namespace stkr
