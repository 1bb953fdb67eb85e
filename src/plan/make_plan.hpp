#pragma once

#include <functional>

#include "stkr/plan/plan.hpp"

namespace stkr {

// How the memory of a way can be reduced: with fewer columns at a time.
struct Thrift {
  std::size_t block_bytes = std::size_t{1} << 30;  // of one N × n block at most
  Index widest = 1;                                // columns of the widest block
  bool outputs = false;                            // the N × C blocks can be split, too
};

// The ways to store the gram, fastest first: tiles and precision. Keeping tiles is one of them if
// `products` products make it worthwhile, and if the host makes them: a device evaluates faster
// than it would read.
std::vector<Execution> gram_executions(const ProblemShape& shape, const Specification& spec,
                                       double products, const Device& device = {});

// Prices each way, with its less and less memory-hungry variants, and chooses the first that fits
// in context.memory.
Plan make_plan(const ProblemShape& shape, const std::vector<Execution>& ways,
               const std::function<Thrift(const Execution&)>& thrift,
               const std::function<Strategy(const Execution&)>& price, const Context& context);

}  // namespace stkr
