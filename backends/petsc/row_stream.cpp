#include "row_stream.hpp"

#include <algorithm>
#include <cstring>

#include "session.hpp"

namespace stkr::petsc {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 23;
constexpr int kStreamTag = 77;

}  // namespace

RowStream::RowStream(const RowLayout& layout) : layout_(layout) {
  MPI_Comm_rank(layout.comm(), &rank_);
  MPI_Comm_size(layout.comm(), &ranks_);
}

std::function<void(std::span<std::byte>)> RowStream::add(std::span<const std::byte> own,
                                                         std::size_t row_bytes,
                                                         const RowLayout* rows) {
  arrays_.push_back({own, row_bytes, rows ? rows : &layout_});
  return [this, array = arrays_.size() - 1](std::span<std::byte> out) { read(array, out); };
}

void RowStream::send() const {
  for (const Array& array : arrays_) {
    for (std::size_t at = 0; at < array.own.size(); at += kPart) {
      const std::size_t count = std::min(kPart, array.own.size() - at);
      MPI_Send(array.own.data() + at, static_cast<int>(count), MPI_BYTE, 0, kStreamTag,
               layout_.comm());
    }
  }
}

bool RowStream::receive() {
  const Array& array = arrays_[array_];
  const auto starts = array.rows->starts();
  while (!started_ || left_ == 0) {
    if (started_ && ++from_ == ranks_) {
      from_ = 0;
      started_ = false;
      ++array_;
      return false;
    }
    started_ = true;
    left_ = static_cast<std::size_t>(starts[from_ + 1] - starts[from_]) * array.row_bytes;
  }
  const std::size_t count = std::min(kPart, left_);
  part_.resize(count);
  taken_ = 0;
  if (from_ == 0) {
    std::memcpy(part_.data(), array.own.data() + (array.own.size() - left_), count);
  } else {
    MPI_Recv(part_.data(), static_cast<int>(count), MPI_BYTE, from_, kStreamTag, layout_.comm(),
             MPI_STATUS_IGNORE);
  }
  left_ -= count;
  return true;
}

void RowStream::read(std::size_t array, std::span<std::byte> out) {
  while (array_ < array) {  // the end of the one before has not been seen
    if (!receive()) part_.clear(), taken_ = 0;
  }
  while (!out.empty()) {
    if (taken_ == part_.size() && !receive()) return;
    const std::size_t count = std::min(out.size(), part_.size() - taken_);
    std::memcpy(out.data(), part_.data() + taken_, count);
    taken_ += count;
    out = out.subspan(count);
  }
}

void RowStream::drain() {
  while (array_ < arrays_.size()) receive();
}

}  // namespace stkr::petsc
