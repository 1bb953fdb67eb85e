#pragma once

#include <algorithm>
#include <stop_token>
#include <variant>
#include <vector>

#include "stkr/error.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/linop/feature_matrix.hpp"
#include "stkr/model/model.hpp"

namespace stkr::python {

// New samples in Python's arrays: points or kernel rows, edges or sparse points in CSR form, or one
// of these per summand of a model with several kernels.
struct NewArrays {
  std::variant<SharedMatrix, CsrMatrix, std::vector<NewArrays>> data;

  Index count() const {
    if (const auto* dense = std::get_if<SharedMatrix>(&data)) return dense->rows();
    if (const auto* edges = std::get_if<CsrMatrix>(&data)) return edges->rows;
    return std::get<std::vector<NewArrays>>(data).front().count();
  }
  NewSamples slice(Index first, Index count) const {
    if (const auto* dense = std::get_if<SharedMatrix>(&data)) {
      return {dense->visit([&](const auto& values) -> Matrix {
        return values.middleRows(first, count).template cast<double>();
      })};
    }
    if (const auto* edges = std::get_if<CsrMatrix>(&data)) return {row_slice(*edges, first, count)};
    std::vector<NewSamples> parts;
    for (const NewArrays& part : std::get<std::vector<NewArrays>>(data)) {
      parts.push_back(part.slice(first, count));
    }
    return {std::move(parts)};
  }
};

// Calls f(part, first) for `most` new samples at a time, so that memory does not grow with their
// number. Throws Cancelled if cancellation is requested.
template <class F>
void for_parts(const NewArrays& samples, const std::stop_token& cancel, F&& f, Index most = 4096) {
  const Index count = samples.count();
  for (Index first = 0; first < count; first += most) {
    if (cancel.stop_requested()) throw Cancelled("interrupted");
    f(samples.slice(first, std::min(most, count - first)), first);
  }
}

}  // namespace stkr::python
