#include "ring_exchange.hpp"

#include <exception>
#include <utility>

#include "session.hpp"

namespace stkr::petsc {
namespace {

constexpr int kRingTag = 80, kBackTag = 79;

// A row of an array, so that counts are numbers of rows.
class RowType {
 public:
  explicit RowType(std::size_t bytes) {
    MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~RowType() { MPI_Type_free(&type_); }
  RowType(const RowType&) = delete;
  RowType& operator=(const RowType&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace

RingExchange::RingExchange(std::shared_ptr<const RowLayout> layout, std::vector<RingArray> arrays)
    : layout_(std::move(layout)), arrays_(std::move(arrays)) {
  MPI_Comm_rank(layout_->comm(), &rank_);
  MPI_Comm_size(layout_->comm(), &ranks_);
}

Index RingExchange::count_of(int owner) const {
  const auto starts = layout_->starts();
  return starts[owner + 1] - starts[owner];
}

void RingExchange::pass(int steps, const std::function<void(const RingBlock&)>& visit,
                        const std::function<void(const RingBlock&)>& after) const {
  const MPI_Comm comm = layout_->comm();
  const std::size_t arrays = arrays_.size();
  std::vector<std::unique_ptr<RowType>> types;
  for (const RingArray& array : arrays_)
    types.push_back(std::make_unique<RowType>(array.row_bytes));
  // The block that is here and the one that comes.
  std::vector<std::vector<std::byte>> here(arrays), coming(arrays);
  RingBlock block;
  for (const RingArray& array : arrays_) block.arrays.push_back(array.own);
  for (int step = 0; step < steps; ++step) {
    block.step = step;
    block.owner = (rank_ - step + ranks_) % ranks_;
    block.first = layout_->starts()[block.owner];
    block.count = count_of(block.owner);
    const bool more = step + 1 < steps;
    const Index next = count_of((block.owner - 1 + ranks_) % ranks_);
    if (more) {
      agree(comm, [&] {
        for (std::size_t a = 0; a < arrays; ++a) {
          coming[a].resize(static_cast<std::size_t>(next) * arrays_[a].row_bytes);
        }
      });
    }
    std::vector<MPI_Request> requests(more ? 2 * arrays : 0);
    for (std::size_t a = 0; more && a < arrays; ++a) {
      const auto tag = kRingTag + static_cast<int>(a);
      MPI_Irecv(coming[a].data(), static_cast<int>(next), *types[a], (rank_ - 1 + ranks_) % ranks_,
                tag, comm, &requests[2 * a]);
      MPI_Isend(block.arrays[a], static_cast<int>(block.count), *types[a], (rank_ + 1) % ranks_,
                tag, comm, &requests[2 * a + 1]);
    }
    std::exception_ptr failure;
    try {
      visit(block);
    } catch (...) {
      failure = std::current_exception();
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    agree(comm, [&] {
      if (failure) std::rethrow_exception(failure);
    });
    if (after) after(block);
    std::swap(here, coming);
    for (std::size_t a = 0; a < arrays; ++a) block.arrays[a] = here[a].data();
  }
}

void RingExchange::give_back(const RingBlock& visitor, const void* results, void* received,
                             std::size_t row_bytes) const {
  const RowType type(row_bytes);
  MPI_Sendrecv(results, static_cast<int>(visitor.count), type, visitor.owner, kBackTag, received,
               static_cast<int>(layout_->count()), type, (rank_ + visitor.step) % ranks_, kBackTag,
               layout_->comm(), MPI_STATUS_IGNORE);
}

PairRange pairs_of(const RingBlock& visitor, Index own_count, int rank, int ranks) {
  PairRange range{0, own_count, 0, visitor.count};
  if (visitor.step == 0 || 2 * visitor.step != ranks) return range;
  // The process of the lower rank takes the first half of the other's rows, the other one all rows
  // of the lower rank with its own second half.
  if (rank < visitor.owner) {
    range.visitor_count = visitor.count / 2;
  } else {
    range.own_first = own_count / 2;
    range.own_count -= range.own_first;
  }
  return range;
}

}  // namespace stkr::petsc
