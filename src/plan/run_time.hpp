#pragma once

#include <string>

#include "stkr/plan/plan.hpp"

namespace stkr {

// How much of each kind of work this machine does per second.
struct Rates {
  double evaluations = 1e8;  // of the kernel at hand
  double dense = 1e9;        // operations of products with kernel values
  double sparse = 1e9;       // operations of products with a sparse matrix
  double pairs = 1e9;        // of points compared in a neighbor search
  double algebra = 1e9;      // operations of factorizations
};

// Measures the rates that the specification needs on random data of its shape, with the threads of
// the context. Takes a few tenths of a second.
Rates measure_rates(const ProblemShape& shape, const Specification& spec,
                    const Context& context = {});

// Between which bounds the run time probably lies. The work of iterative solvers is an upper bound,
// and most runs need a half to a fifth of it.
struct RunTime {
  double least = 0.0;  // seconds
  double most = 0.0;

  double middle() const;  // the geometric mean
  RunTime& operator+=(const RunTime& other);
};
RunTime run_time(const ProblemShape& shape, const Specification& spec, const Work& work,
                 const Rates& rates);

// "less than a second", "about 2 to 4 s", "about 3 to 7 minutes", "about 2 to 5 hours"
std::string describe(const RunTime& time);

// Whether products evaluate or keep all N² values of a kernel of points.
bool is_dense(const ProblemShape& shape, const Specification& spec);

}  // namespace stkr
