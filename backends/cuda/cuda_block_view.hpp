#pragma once

#include <cstddef>
#include <utility>

#include "device_memory.hpp"

// Blocks in device memory and views of them, without Eigen, so that CUDA sources compile quickly.
// cuda_block.hpp declares what solvers do with them.
namespace stkr::cuda {

// Doubles from one row to the next. Rows start at multiples of 16 bytes, the widest access of a
// thread. More padding would not make a gathered row touch fewer sectors of 32 bytes, and every
// pass over 10 columns would read a fifth more.
constexpr std::ptrdiff_t row_stride(std::ptrdiff_t columns) {
  return columns <= 1 ? columns : (columns + 1) / 2 * 2;
}

// A row-major N × C block of doubles, which owns its memory. Uninitialized.
class CudaBlock {
 public:
  CudaBlock() = default;
  CudaBlock(std::ptrdiff_t rows, std::ptrdiff_t columns)
      : memory_(static_cast<std::size_t>(rows * row_stride(columns))),
        rows_(rows),
        columns_(columns) {
    // The product with a sparse matrix reads rows 16 bytes at a time.
    if (rows > 0 && stride() != columns) clear_padding();
  }
  CudaBlock(CudaBlock&& other) noexcept
      : memory_(std::move(other.memory_)),
        rows_(std::exchange(other.rows_, 0)),
        columns_(std::exchange(other.columns_, 0)) {}
  CudaBlock& operator=(CudaBlock&& other) noexcept {
    // Not a swap: the old memory is free at once, which solvers rely on.
    CudaBlock old(std::move(*this));
    memory_ = std::move(other.memory_);
    rows_ = std::exchange(other.rows_, 0);
    columns_ = std::exchange(other.columns_, 0);
    return *this;
  }

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t cols() const { return columns_; }
  std::ptrdiff_t stride() const { return row_stride(columns_); }  // doubles from row to row
  double* data() { return memory_.data(); }
  const double* data() const { return memory_.data(); }

 private:
  void clear_padding() {
    check(cudaMemset2DAsync(data() + columns_, sizeof(double) * stride(), 0,
                            sizeof(double) * (stride() - columns_), rows_),
          "cudaMemset2DAsync");
  }

  DeviceArray<double> memory_;
  std::ptrdiff_t rows_ = 0, columns_ = 0;
};

// All or adjacent columns of a block, which must outlive it.
class CudaView {
 public:
  CudaView(CudaBlock& block) : CudaView(block.data(), block.rows(), block.cols(), block.stride()) {}
  CudaView(double* data, std::ptrdiff_t rows, std::ptrdiff_t columns, std::ptrdiff_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {}

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t cols() const { return columns_; }
  std::ptrdiff_t stride() const { return stride_; }
  double* data() const { return data_; }

 private:
  double* data_;
  std::ptrdiff_t rows_, columns_, stride_;
};

class ConstCudaView {
 public:
  ConstCudaView(const CudaBlock& block)
      : ConstCudaView(block.data(), block.rows(), block.cols(), block.stride()) {}
  ConstCudaView(CudaView view)
      : ConstCudaView(view.data(), view.rows(), view.cols(), view.stride()) {}
  ConstCudaView(const double* data, std::ptrdiff_t rows, std::ptrdiff_t columns,
                std::ptrdiff_t stride)
      : data_(data), rows_(rows), columns_(columns), stride_(stride) {}

  std::ptrdiff_t rows() const { return rows_; }
  std::ptrdiff_t cols() const { return columns_; }
  std::ptrdiff_t stride() const { return stride_; }
  const double* data() const { return data_; }

 private:
  const double* data_;
  std::ptrdiff_t rows_, columns_, stride_;
};

}  // namespace stkr::cuda
