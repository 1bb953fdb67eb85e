#include "shared_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <deque>

#include "row_stream.hpp"
#include "session.hpp"
#include "stkr/error.hpp"

namespace stkr::petsc {
namespace {

constexpr Index kPart = Index{1} << 20;  // numbers sent at a time
constexpr int kStateTag = 79;

std::span<double> numbers_of(Matrix& block) {
  return {block.data(), static_cast<std::size_t>(block.size())};
}

// Calls part(numbers) for numbers [0, count) in parts.
template <class Part>
void in_parts(std::span<double> numbers, Part&& part) {
  while (!numbers.empty()) {
    const auto count = std::min(numbers.size(), static_cast<std::size_t>(kPart));
    part(numbers.first(count));
    numbers = numbers.subspan(count);
  }
}

// Of the bytes of all processes, in the order of their rows.
Crc64 checksum_of(std::span<const std::byte> own, const RowLayout& layout) {
  Crc64 part, all;
  part.update(own);
  const std::array<Index, 2> mine = {std::bit_cast<Index>(part.value()),
                                     static_cast<Index>(own.size())};
  const std::vector<Index> parts = layout.joined(mine);
  for (std::size_t p = 0; p < parts.size(); p += 2) {
    all.append(std::bit_cast<std::uint64_t>(parts[p]), static_cast<std::uint64_t>(parts[p + 1]));
  }
  return all;
}

// The rows of every process, which the first one reads in order.
void deal(StateFile::Reader* saved, const RowLayout& layout, Matrix& own) {
  const auto receive = [&](std::span<double> part) {
    MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, kStateTag, layout.comm(),
             MPI_STATUS_IGNORE);
  };
  if (!saved) return in_parts(numbers_of(own), receive);
  in_parts(numbers_of(own), [&](auto part) { saved->read(std::as_writable_bytes(part)); });
  const auto starts = layout.starts();
  std::vector<double> buffer(static_cast<std::size_t>(kPart));
  for (std::size_t p = 1; p + 1 < starts.size(); ++p) {
    for (Index left = (starts[p + 1] - starts[p]) * own.cols(); left > 0;) {
      const std::span<double> part(buffer.data(), static_cast<std::size_t>(std::min(left, kPart)));
      saved->read(std::as_writable_bytes(part));
      MPI_Send(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, static_cast<int>(p),
               kStateTag, layout.comm());
      left -= static_cast<Index>(part.size());
    }
  }
}

}  // namespace

SharedState::SharedState(MPI_Comm comm, const std::filesystem::path& path, const std::string& run,
                         std::chrono::duration<double> interval, const std::string& way)
    : comm_(comm) {
  MPI_Comm_rank(comm, &rank_);
  agree(comm, [&] {
    if (rank_ > 0) return;
    file_ = std::make_unique<StateFile>(path, run, interval, way);
    resumed_ = file_->resumed();
    way_ = file_->way();
  });
  MPI_Bcast(&resumed_, 1, MPI_CXX_BOOL, 0, comm);
  auto size = static_cast<std::int64_t>(way_.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, comm);
  way_.resize(static_cast<std::size_t>(size));
  MPI_Bcast(way_.data(), static_cast<int>(size), MPI_CHAR, 0, comm);
}

std::optional<std::vector<Matrix>> SharedState::find(const std::string& name,
                                                     const SharedBlocks& shared) {
  std::optional<StateFile::Reader> saved;
  std::vector<Index> shapes;
  agree(comm_, [&] {
    if (rank_ > 0 || !(saved = file_->reader(name))) return;
    for (const auto& [rows, columns] : saved->shapes()) {
      shapes.insert(shapes.end(), {rows, columns});
    }
  });
  std::array<Index, 2> head = {saved.has_value(), static_cast<Index>(shapes.size())};
  MPI_Bcast(head.data(), 2, MPI_INT64_T, 0, comm_);
  if (head[0] == 0) return std::nullopt;
  shapes.resize(static_cast<std::size_t>(head[1]));
  MPI_Bcast(shapes.data(), static_cast<int>(shapes.size()), MPI_INT64_T, 0, comm_);
  const auto is_shared = [&](std::size_t k) {
    return shared.rows && k >= shared.first && k < shared.first + shared.count;
  };
  std::vector<Matrix> blocks;
  agree(comm_, [&] {
    for (std::size_t k = 0; k < shapes.size() / 2; ++k) {
      if (is_shared(k) && shapes[2 * k] != shared.rows->size()) {
        throw DataError(fmt::format("the saved state of {} belongs to another system", name));
      }
      blocks.emplace_back(is_shared(k) ? shared.rows->count() : shapes[2 * k], shapes[2 * k + 1]);
    }
  });
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    if (is_shared(k)) {
      deal(saved ? &*saved : nullptr, dynamic_cast<const RowLayout&>(*shared.rows), blocks[k]);
      continue;
    }
    in_parts(numbers_of(blocks[k]), [&](auto part) {
      if (saved) saved->read(std::as_writable_bytes(part));
      MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_DOUBLE, 0, comm_);
    });
  }
  agree(comm_, [&] {
    if (saved) saved->check();
  });
  return blocks;
}

void SharedState::save(const std::string& name, std::span<const ConstMatrixRef> blocks,
                       const SharedBlocks& shared) {
  const auto* layout = dynamic_cast<const RowLayout*>(shared.rows);
  if (!layout) {
    return agree(comm_, [&] {
      if (file_) file_->save(name, blocks, {});
    });
  }
  RowStream stream(*layout);
  std::deque<Matrix> copies;  // of blocks whose rows are not one after the other
  std::vector<StateSource> sources;
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    const ConstMatrixRef& block = blocks[k];
    if (k < shared.first || k >= shared.first + shared.count) {
      sources.push_back(source_of(block));
      continue;
    }
    const bool adjacent = block.rows() <= 1 || block.outerStride() == block.cols();
    const double* rows = adjacent ? block.data() : copies.emplace_back(block).data();
    const auto bytes = std::as_bytes(std::span(rows, static_cast<std::size_t>(block.size())));
    StateSource source{layout->size(), block.cols(), {}, {}};
    source.checksum = checksum_of(bytes, *layout);
    source.read = stream.add(bytes, static_cast<std::size_t>(block.cols()) * sizeof(double));
    sources.push_back(std::move(source));
  }
  agree(comm_, [&] {
    if (!file_) return stream.send();
    try {
      file_->save(name, sources);
    } catch (...) {
      stream.drain();
      throw;
    }
  });
}

bool SharedState::due() const {
  bool now = file_ && file_->due();
  MPI_Bcast(&now, 1, MPI_CXX_BOOL, 0, comm_);
  return now;
}

void SharedState::remove() {
  if (file_) file_->remove();
}

}  // namespace stkr::petsc
