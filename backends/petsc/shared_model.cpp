#include "shared_model.hpp"

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "format/npz.hpp"
#include "model/model_file.hpp"
#include "row_stream.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using nlohmann::json;

// An array of a cross kernel.
struct SavedArray {
  std::string name;
  std::string_view descr;
  std::span<const std::byte> own;  // of this process
  std::size_t row_bytes = 0;       // 0: the same in all processes
  const RowLayout* rows = nullptr;
  std::vector<Index> shape{};  // of all rows
};

// Texts and numbers are the same everywhere.
class RowSink final : public SharedKernelSink {
 public:
  RowSink(const RowLayout& samples, json& tree, std::vector<SavedArray>& arrays, std::string prefix)
      : samples_(samples), tree_(tree), arrays_(arrays), prefix_(std::move(prefix)) {}

  void text(std::string_view name, std::string_view value) override {
    tree_[std::string(name)] = value;
  }
  void number(std::string_view name, double value) override { tree_[std::string(name)] = value; }
  void array(std::string_view name, Index rows, Index, std::span<const double> values) override {
    if (rows != 1) refuse();
    add(name, values, 1, samples_, {1, samples_.size()});
  }
  void array(std::string_view, Index, Index, std::span<const float>) override { refuse(); }
  void indices(std::string_view, std::span<const std::int32_t>) override { refuse(); }
  void part(std::string_view name, const CrossKernel& part) override {
    json& child = tree_[std::string(name)] = json::object();
    RowSink sink(samples_, child, arrays_, prefix_ + std::string(name) + ".");
    part.save(sink);
  }
  void rows(std::string_view name, const RowLayout& layout, Index columns,
            std::span<const double> values) override {
    add(name, values, columns, layout, {layout.size(), columns});
  }
  void rows(std::string_view name, const RowLayout& layout, Index columns,
            std::span<const float> values) override {
    add(name, values, columns, layout, {layout.size(), columns});
  }
  void entries(std::string_view name, const RowLayout& layout,
               std::span<const std::int32_t> values) override {
    add(name, values, 1, layout, {layout.size()});
  }
  void same(std::string_view name, Index rows, Index cols,
            std::span<const double> values) override {
    arrays_.push_back({prefix_ + std::string(name),
                       npy_descr<double>(),
                       std::as_bytes(values),
                       0,
                       nullptr,
                       {rows, cols}});
  }

 private:
  template <class T>
  void add(std::string_view name, std::span<const T> values, Index columns, const RowLayout& layout,
           std::vector<Index> shape) {
    arrays_.push_back({prefix_ + std::string(name), npy_descr<T>(), std::as_bytes(values),
                       static_cast<std::size_t>(columns) * sizeof(T), &layout, std::move(shape)});
  }
  [[noreturn]] static void refuse() {
    throw ValueError("the PETSc engine does not write models of this kernel");
  }

  const RowLayout& samples_;
  json& tree_;
  std::vector<SavedArray>& arrays_;
  std::string prefix_;
};

}  // namespace

std::unique_ptr<PlacedSamples> SharedCrossKernel::place(const NewSamples&) const {
  throw ValueError("new samples are placed by the model that is written, not while it is fitted");
}

void SharedCrossKernel::save(CrossKernelSink& sink) const {
  save_shared(dynamic_cast<SharedKernelSink&>(sink));
}

void save_model(const Model& model, const CrossKernel& cross, const RowLayout& layout,
                const std::filesystem::path& path, const std::vector<std::string>& names) {
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  json metadata = model_metadata(model, !names.empty());
  json& tree = metadata["cross"] = json::object();
  std::vector<SavedArray> arrays;
  RowSink sink(layout, tree, arrays, "cross.");
  cross.save(sink);
  const Index n = layout.size();
  NpzWriter writer;
  RowStream stream(layout);
  const auto add = [&](const std::string& name, std::string_view descr, const auto* data,
                       Index columns, std::vector<Index> shape) {
    const auto count = static_cast<std::size_t>(layout.count() * columns);
    writer.add_stream(name, descr, std::move(shape),
                      stream.add(std::as_bytes(std::span(data, count)),
                                 static_cast<std::size_t>(columns) * sizeof(*data)));
  };
  const auto add_flags = [&](const char* name, const std::vector<char>& flags) {
    if (any_over(&layout, !flags.empty())) {
      add(name, npy_descr<std::uint8_t>(), flags.data(), 1, {n});
    }
  };
  add("coefficients", npy_descr<double>(), model.coefficients().data(), model.outputs(),
      {n, model.outputs()});
  add("fitted", npy_descr<double>(), model.fitted().data(), model.outputs(), {n, model.outputs()});
  if (!names.empty()) writer.add_strings("sample_names", names);
  if (const auto* numbers = std::get_if<TargetDecision>(&model.decision());
      numbers && numbers->left_out_residuals.size() > 0) {
    writer.add("left_out_residuals", numbers->left_out_residuals);
  }
  add_flags("evidence_reached", model.evidence().reached);
  add_flags("evidence_sources", model.evidence().sources);
  for (const SavedArray& array : arrays) {
    if (array.row_bytes > 0) {
      writer.add_stream(array.name, array.descr, array.shape,
                        stream.add(array.own, array.row_bytes, array.rows));
    } else {
      const auto* first = reinterpret_cast<const double*>(array.own.data());
      writer.add(array.name, std::span(first, array.own.size() / sizeof(double)), array.shape);
    }
  }
  writer.add_text(kModelMetadata, metadata.dump(2));
  agree(layout.comm(), [&] {
    if (rank > 0) return stream.send();
    try {
      writer.write(path, {.deflate = false, .seal = true});
    } catch (...) {
      stream.drain();
      throw;
    }
  });
}

}  // namespace stkr::petsc
