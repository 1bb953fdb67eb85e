#include "stkr/inference/fitted_system.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {

void check_system(const FittedSystem& system, const char* who) {
  if (!system.gram) throw ValueError(fmt::format("{}: the fit did not keep its kernel", who));
  if (system.gram->root_weights()) {
    throw ValueError(fmt::format("{}: not available with sample weights; fit without them", who));
  }
  if (system.terms.empty()) {
    throw ValueError(fmt::format(
        "{}: needs a fit by STKR or kernel ridge regression; kernel PCA and label propagation "
        "have no system of the labels. Kernel PCA is also the transform truncation. With beta, the "
        "fit must form its system: use the solver direct, or a relative ridge",
        who));
  }
  if (system.labels() > system.execution.most_direct) {
    throw ValueError(
        fmt::format("{}: needs the {} x {} system of the labeled samples, which is limited to {} "
                    "labels; use fewer",
                    who, system.labels(), system.labels(), system.execution.most_direct));
  }
}

}  // namespace stkr
