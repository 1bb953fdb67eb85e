#include "halo_matrix.hpp"

#include <algorithm>

#include "linop/csr_product.hpp"
#include "session.hpp"

namespace stkr::petsc {
namespace {

constexpr const char* kExchange = "an exchange of rows";

std::vector<std::int32_t> samples_elsewhere(const CsrMatrix& rows, const RowLayout& layout) {
  std::vector<std::int32_t> samples;
  for (const std::int32_t j : rows.column) {
    if (layout.local(j) >= 0) continue;
    samples.push_back(j);
    // Hubs occur many times: keeps the list near its final size.
    if (samples.size() == samples.capacity()) {
      std::sort(samples.begin(), samples.end());
      samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
      samples.reserve(2 * samples.size() + 1024);
    }
  }
  std::sort(samples.begin(), samples.end());
  samples.erase(std::unique(samples.begin(), samples.end()), samples.end());
  samples.shrink_to_fit();
  return samples;
}

}  // namespace

HaloMatrix::HaloMatrix(Layout layout, CsrMatrix rows) : layout_(std::move(layout)) {
  halo_ = samples_elsewhere(rows, *layout_);
  const Index count = layout_->count();
  const auto inside = std::count_if(rows.column.begin(), rows.column.end(),
                                    [&](std::int32_t j) { return layout_->local(j) >= 0; });
  other_.rows = count;
  other_.cols = static_cast<Index>(halo_.size());
  other_.row_start.assign(1, 0);
  other_.column.reserve(rows.column.size() - static_cast<std::size_t>(inside));
  other_.value.reserve(rows.column.size() - static_cast<std::size_t>(inside));
  // Entries of own columns move up in the arrays that they are in, so that the matrix is never in
  // memory twice.
  own_ = std::move(rows);
  own_.rows = own_.cols = count;
  std::int64_t from = 0, to = 0;
  for (Index i = 0; i < count; ++i) {
    auto near = halo_.begin();  // columns ascend within a row
    for (const auto end = own_.row_start[i + 1]; from < end; ++from) {
      const std::int32_t j = own_.column[from];
      const Index local = layout_->local(j);
      if (local >= 0) {
        own_.column[to] = static_cast<std::int32_t>(local);
        own_.value[to++] = own_.value[from];
      } else {
        near = std::lower_bound(near, halo_.end(), j);
        other_.column.push_back(static_cast<std::int32_t>(near - halo_.begin()));
        other_.value.push_back(own_.value[from]);
      }
    }
    own_.row_start[i + 1] = to;
    other_.row_start.push_back(static_cast<std::int64_t>(other_.column.size()));
  }
  own_.column.resize(static_cast<std::size_t>(to));
  own_.value.resize(static_cast<std::size_t>(to));
  if (other_.column.size() > own_.column.size() / 4) {
    own_.column.shrink_to_fit();
    own_.value.shrink_to_fit();
  }
}

HaloMatrix::~HaloMatrix() { end_exchange(); }

void HaloMatrix::end_exchange() const {
  PetscSFDestroy(&exchange_);
  if (unit_ != MPI_DATATYPE_NULL) MPI_Type_free(&unit_);
}

void HaloMatrix::begin_exchange(Index columns, const double* rows, Matrix& received) const {
  received.resize(static_cast<Index>(halo_.size()), columns);
  if (columns != exchanged_columns_) {
    end_exchange();
    exchanged_columns_ = columns;
    MPI_Type_contiguous(static_cast<int>(columns), MPIU_REAL, &unit_);
    MPI_Type_commit(&unit_);
    const std::vector<PetscInt> wanted(halo_.begin(), halo_.end());
    check(PetscSFCreate(layout_->comm(), &exchange_), kExchange);
    check(PetscSFSetGraphLayout(exchange_, layout_->layout(), static_cast<PetscInt>(wanted.size()),
                                nullptr, PETSC_COPY_VALUES, wanted.data()),
          kExchange);
    check(PetscSFSetUp(exchange_), kExchange);
  }
  check(PetscSFBcastBegin(exchange_, unit_, rows, received.data(), MPI_REPLACE), kExchange);
}

void HaloMatrix::finish_exchange(const double* rows, Matrix& received) const {
  check(PetscSFBcastEnd(exchange_, unit_, rows, received.data(), MPI_REPLACE), kExchange);
}

Matrix HaloMatrix::halo_of(ConstMatrixRef x) const {
  const Matrix rows = x;
  Matrix result(static_cast<Index>(halo_.size()), x.cols());
  if (x.cols() == 0) return result;
  begin_exchange(x.cols(), rows.data(), result);
  finish_exchange(rows.data(), result);
  return result;
}

void HaloMatrix::apply_step(double a, ConstMatrixRef x, double b, double c, MatrixRef y,
                            int threads) const {
  if (x.cols() == 0) return;
  const double* rows = x.data();
  if (x.outerStride() != x.cols()) {  // a unit is a row without gaps
    sent_ = x;
    rows = sent_.data();
  }
  begin_exchange(x.cols(), rows, received_);
  multiply_step(own_, a, x, b, c, y, threads);
  finish_exchange(rows, received_);
  multiply_add(other_, a, received_, y, threads);
}

}  // namespace stkr::petsc
