#include "ptscotch.hpp"

#ifdef STKR_PTSCOTCH
#include <cstdio>
// which needs <cstdio>
#include <ptscotch.h>

#include <limits>
#include <string>
#endif

#include "stkr/error.hpp"

namespace stkr::petsc {

#ifdef STKR_PTSCOTCH

namespace {

void expect(int code, const char* what) {
  if (code != 0) throw Error(std::string("PTScotch: ") + what + " failed");
}

class Graph {
 public:
  explicit Graph(MPI_Comm comm) { expect(SCOTCH_dgraphInit(&graph_, comm), "starting"); }
  ~Graph() { SCOTCH_dgraphExit(&graph_); }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  SCOTCH_Dgraph* get() { return &graph_; }

 private:
  SCOTCH_Dgraph graph_;
};

class Strategy {
 public:
  Strategy(MPI_Comm comm, SCOTCH_Num parts) {
    SCOTCH_stratInit(&strategy_);
    int processes = 1;
    MPI_Comm_size(comm, &processes);
    constexpr double kImbalance = 0.02;
    expect(
        SCOTCH_stratDgraphMapBuild(&strategy_, SCOTCH_STRATQUALITY, processes, parts, kImbalance),
        "choosing a strategy");
  }
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_;
};

std::vector<SCOTCH_Num> numbers(const std::vector<Index>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

bool has_ptscotch() { return true; }
const std::int64_t kMostPartitioned = std::numeric_limits<SCOTCH_Num>::max();

std::vector<Index> ptscotch_parts(MPI_Comm comm, const AdjacencyLists& lists, Index parts) {
  std::vector<SCOTCH_Num> start = numbers(lists.start), neighbor = numbers(lists.neighbor),
                          work = numbers(lists.work), part(lists.work.size(), 0);
  const auto rows = static_cast<SCOTCH_Num>(work.size());
  const auto entries = static_cast<SCOTCH_Num>(neighbor.size());
  // Null pointers would mean that there are no arrays.
  neighbor.resize(neighbor.size() + 1);
  work.resize(work.size() + 1);
  part.resize(part.size() + 1);
  Graph graph(comm);
  expect(SCOTCH_dgraphBuild(graph.get(), 0, rows, rows, start.data(), start.data() + 1, work.data(),
                            nullptr, entries, entries, neighbor.data(), nullptr, nullptr),
         "making the graph");
  Strategy strategy(comm, static_cast<SCOTCH_Num>(parts));
  SCOTCH_randomReset();
  expect(
      SCOTCH_dgraphPart(graph.get(), static_cast<SCOTCH_Num>(parts), strategy.get(), part.data()),
      "partitioning");
  part.pop_back();
  return {part.begin(), part.end()};
}

#else

bool has_ptscotch() { return false; }
const std::int64_t kMostPartitioned = 0;

std::vector<Index> ptscotch_parts(MPI_Comm, const AdjacencyLists&, Index) {
  throw Error("this stkr was built without PTScotch");
}

#endif

}  // namespace stkr::petsc
