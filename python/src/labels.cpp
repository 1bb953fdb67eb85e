#include "labels.hpp"

#include <fmt/format.h>

#include "arrays.hpp"
#include "stkr/error.hpp"

namespace stkr::python {

Labels labels_from(const py::array& values, std::vector<std::string> names, bool boolean) {
  if (values.ndim() == 2) {
    return target_values(borrow(values, "targets").matrix(), std::move(names), "y");
  }
  ClassLabels labels;
  for (const Index code : indices_from(values, "labels")) {
    if (code < kUnlabeled || code >= static_cast<Index>(names.size())) {
      throw ValueError(
          fmt::format("labels: class code {} is out of range for {} classes", code, names.size()));
    }
    labels.code.push_back(static_cast<std::int32_t>(code));
  }
  labels.names = std::move(names);
  labels.boolean = boolean;
  return labels;
}

}  // namespace stkr::python
