#include "reproduction/theory.hpp"

namespace stkr {

std::vector<TheoryTable> theory_tables(const TheoryOptions& options, const Context& context) {
  struct Step {
    const char* what;
    TheoryTable (*run)(const TheoryOptions&, const Context&);
    double cost;  // share of the time, measured
  };
  constexpr Step kSteps[] = {{"Theorem 3", approximation_table, 0.44},
                             {"gap of the kernels", kernel_gap_table, 0.04},
                             {"gap of inner products", inner_product_table, 0.04},
                             {"Theorem 2", estimation_table, 0.13},
                             {"Proposition 3", agnostic_table, 0.13},
                             {"Proposition 4", encoder_table, 0.02},
                             {"transductive = inductive", transductive_table, 0.01},
                             {"largest eigenvalue", eigenvalue_table, 0.02},
                             {"Theorem 5", probe_table, 0.04},
                             {"Theorem 6", kernel_pca_table, 0.13}};
  std::vector<TheoryTable> tables;
  double done = 0.0;
  for (const Step& step : kSteps) {
    context.check_cancelled();
    if (options.watch) options.watch(step.what, done);
    tables.push_back(step.run(options, context));
    done += step.cost;
  }
  return tables;
}

}  // namespace stkr
