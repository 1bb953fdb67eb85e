#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "row_layout.hpp"

namespace stkr::petsc {

// The bytes of arrays that have a row per sample, in the order of the samples, at the first
// process: the others send theirs in parts of bounded size. All processes add the same arrays in
// the same order, then the first one reads them in this order while the others run send().
class RowStream {
 public:
  explicit RowStream(const RowLayout& layout);

  // The rows of this process; they must outlive the stream. Returns how the first process reads the
  // next bytes of the whole array. `rows`: of an array whose rows are not samples, which process
  // has how many; it must outlive the stream.
  std::function<void(std::span<std::byte>)> add(std::span<const std::byte> own,
                                                std::size_t row_bytes,
                                                const RowLayout* rows = nullptr);

  // In all processes but the first: sends everything.
  void send() const;
  // In the first: receives what is left and forgets it, if it could not be written.
  void drain();

 private:
  struct Array {
    std::span<const std::byte> own;
    std::size_t row_bytes;
    const RowLayout* rows;
  };
  void read(std::size_t array, std::span<std::byte> out);
  bool receive();  // the next part; false at the end of the array

  const RowLayout& layout_;
  int rank_ = 0, ranks_ = 1;
  std::vector<Array> arrays_;
  // Where the first process is.
  std::size_t array_ = 0;
  int from_ = 0;
  std::size_t left_ = 0;  // bytes of this array that `from_` still has to send
  bool started_ = false;
  std::vector<std::byte> part_;
  std::size_t taken_ = 0;  // of the part
};

}  // namespace stkr::petsc
