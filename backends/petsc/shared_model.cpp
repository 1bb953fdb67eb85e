#include "shared_model.hpp"

#include <deque>
#include <nlohmann/json.hpp>

#include "format/npz.hpp"
#include "model/model_file.hpp"
#include "row_stream.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

using nlohmann::json;

// The arrays of a cross kernel have a row per sample; texts and numbers are the same everywhere.
class RowSink : public CrossKernelSink {
 public:
  struct Array {
    std::string name;
    std::vector<double> values;  // of this process
    bool row = false;            // one row for all samples, not one each
    Index columns = 1;
  };
  std::deque<Array> arrays;
  json tree = json::object();

  void text(std::string_view name, std::string_view value) override {
    tree[std::string(name)] = value;
  }
  void number(std::string_view name, double value) override { tree[std::string(name)] = value; }
  void array(std::string_view name, Index rows, Index cols,
             std::span<const double> values) override {
    const bool row = rows == 1;
    arrays.push_back({std::string(name), {values.begin(), values.end()}, row, row ? 1 : cols});
  }
  void array(std::string_view, Index, Index, std::span<const float>) override { refuse(); }
  void indices(std::string_view, std::span<const std::int32_t>) override { refuse(); }
  void part(std::string_view, const CrossKernel&) override { refuse(); }

 private:
  [[noreturn]] static void refuse() {
    throw ValueError("the PETSc engine does not write models of this kernel");
  }
};

}  // namespace

void save_model(const Model& model, const CrossKernel& cross, const RowLayout& layout,
                const std::filesystem::path& path, const std::vector<std::string>& names) {
  int rank = 0;
  MPI_Comm_rank(layout.comm(), &rank);
  RowSink sink;
  cross.save(sink);
  json metadata = model_metadata(model, !names.empty());
  metadata["cross"] = sink.tree;
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
  for (const RowSink::Array& array : sink.arrays) {
    add("cross." + array.name, npy_descr<double>(), array.values.data(), array.columns,
        array.row ? std::vector<Index>{1, n} : std::vector<Index>{n, array.columns});
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
