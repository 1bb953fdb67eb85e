#pragma once

#include <map>
#include <memory>
#include <string>

#include "stkr/error.hpp"
#include "stkr/gram/cross_kernel.hpp"

// An in-memory file for tests of save and load.
namespace stkr {

struct MemoryStore {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, double, std::less<>> numbers;
  std::map<std::string, std::variant<Matrix, MatrixF>, std::less<>> arrays;
  std::map<std::string, std::vector<std::int32_t>, std::less<>> indices;
  std::map<std::string, std::unique_ptr<MemoryStore>, std::less<>> parts;
};

class MemorySink final : public CrossKernelSink {
 public:
  explicit MemorySink(MemoryStore& store) : store_(store) {}

  void text(std::string_view name, std::string_view value) override {
    store_.texts.emplace(name, value);
  }
  void number(std::string_view name, double value) override { store_.numbers.emplace(name, value); }
  void array(std::string_view name, Index rows, Index cols, std::span<const double> v) override {
    store_.arrays.emplace(name, Matrix(Eigen::Map<const Matrix>(v.data(), rows, cols)));
  }
  void array(std::string_view name, Index rows, Index cols, std::span<const float> v) override {
    store_.arrays.emplace(name, MatrixF(Eigen::Map<const MatrixF>(v.data(), rows, cols)));
  }
  void indices(std::string_view name, std::span<const std::int32_t> values) override {
    store_.indices.emplace(name, std::vector<std::int32_t>(values.begin(), values.end()));
  }
  void part(std::string_view name, const CrossKernel& part) override {
    auto store = std::make_unique<MemoryStore>();
    MemorySink sink(*store);
    part.save(sink);
    store_.parts.emplace(name, std::move(store));
  }

 private:
  MemoryStore& store_;
};

class MemorySource final : public CrossKernelSource {
 public:
  explicit MemorySource(const MemoryStore& store) : store_(store) {}

  std::string text(std::string_view name) override { return find(store_.texts, name); }
  double number(std::string_view name) override { return find(store_.numbers, name); }
  std::variant<Matrix, MatrixF> array(std::string_view name) override {
    return find(store_.arrays, name);
  }
  std::vector<std::int32_t> indices(std::string_view name) override {
    return find(store_.indices, name);
  }
  std::unique_ptr<CrossKernelSource> part(std::string_view name) override {
    return std::make_unique<MemorySource>(*find(store_.parts, name));
  }

 private:
  template <class Map>
  static const typename Map::mapped_type& find(const Map& map, std::string_view name) {
    const auto found = map.find(name);
    if (found == map.end()) throw DataError("no member " + std::string(name));
    return found->second;
  }

  const MemoryStore& store_;
};

inline std::unique_ptr<CrossKernel> save_and_load(const CrossKernel& cross,
                                                  const CrossKernelRegistry& registry = {}) {
  MemoryStore store;
  MemorySink sink(store);
  cross.save(sink);
  MemorySource source(store);
  return load_cross_kernel(source, registry);
}

}  // namespace stkr
