#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "row_layout.hpp"
#include "stkr/gram/cross_kernel.hpp"
#include "stkr/model/model.hpp"

namespace stkr::petsc {

// What the engine's own cross kernels save themselves to: also arrays of which every process has
// some rows. Spans must outlive the sink.
class SharedKernelSink : public CrossKernelSink {
 public:
  virtual void rows(std::string_view name, const RowLayout& layout, Index columns,
                    std::span<const double>) = 0;
  virtual void rows(std::string_view name, const RowLayout& layout, Index columns,
                    std::span<const float>) = 0;
  // A number for each row.
  virtual void entries(std::string_view name, const RowLayout& layout,
                       std::span<const std::int32_t>) = 0;
  // The same array in all processes.
  virtual void same(std::string_view name, Index rows, Index cols, std::span<const double>) = 0;
};

// A cross kernel of samples that processes share: to be saved, and to say which labeled sample is
// nearest to one of this process.
class SharedCrossKernel : public CrossKernel {
 public:
  std::unique_ptr<PlacedSamples> place(const NewSamples& samples) const final;
  void save(CrossKernelSink& sink) const final;

 private:
  virtual void save_shared(SharedKernelSink& sink) const = 0;
};

// Writes the ordinary model file of all rows; `model` has those of this process. Rows go through
// the first process in their order, in parts of bounded size. Throws in all processes; an existing
// file is then unchanged. Of `cross`, arrays of a single row have a number for every sample.
// `names` are those of all samples, in the first process alone, if they have any.
void save_model(const Model& model, const CrossKernel& cross, const RowLayout& layout,
                const std::filesystem::path& path, const std::vector<std::string>& names = {});

}  // namespace stkr::petsc
