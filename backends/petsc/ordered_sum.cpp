#include "ordered_sum.hpp"

namespace stkr::petsc {

Vector ordered_sum(const RowLayout& layout, Index size, const std::function<void(Vector&)>& add) {
  constexpr int kTag = 76;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(layout.comm(), &rank);
  MPI_Comm_size(layout.comm(), &ranks);
  Vector values = Vector::Zero(size);
  const auto count = static_cast<int>(size);
  if (rank > 0) {
    MPI_Recv(values.data(), count, MPI_DOUBLE, rank - 1, kTag, layout.comm(), MPI_STATUS_IGNORE);
  }
  add(values);
  if (rank + 1 < ranks) MPI_Send(values.data(), count, MPI_DOUBLE, rank + 1, kTag, layout.comm());
  MPI_Bcast(values.data(), count, MPI_DOUBLE, ranks - 1, layout.comm());
  return values;
}

}  // namespace stkr::petsc
