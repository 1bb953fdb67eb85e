#pragma once

#include <string>

#include "estimator/solve_cost.hpp"
#include "gram/gram_cost.hpp"
#include "stkr/plan/plan.hpp"

namespace stkr {

// Memory of the program itself, its thread buffers and the labels.
std::uint64_t program_memory(const ProblemShape& shape, int threads = 0);

// "kernel stored, single"
std::string describe_gram(const ProblemShape& shape, const GramCost& gram,
                          const Execution& execution);

void add_products(const ProblemShape& shape, const GramCost& gram, Tiles tiles,
                  const Products& products, Work& work);

// Adds up what the parts of a run state: their work, and the peak of their memory. Starts with
// reading the data and preparing the gram, which is held from then on.
class RunCost {
 public:
  RunCost(const ProblemShape& shape, const GramCost& gram, const Execution& execution,
          const Context& context);

  void add(const SolveCost& step);
  // The gram is freed except for what places new samples.
  void end(std::uint64_t model);
  Strategy strategy(std::string name) &&;

 private:
  MemoryUse held(const char* phase) const;
  void consider(const MemoryUse& use, bool expected = true);
  void prepare_device();

  const ProblemShape& shape_;
  GramCost gram_;
  std::uint64_t program_;
  const DeviceBackend* backend_;  // null: the CPU
  std::uint64_t on_device_ = 0;   // bytes of the gram there
  Strategy result_;
};

}  // namespace stkr
