#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "shared_samples.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::petsc {

// A graph of which every process has some rows, with the labels of these.
struct SharedGraph : SharedSamples {
  CsrMatrix rows;            // of the adjacency matrix; columns count all N
  std::int64_t entries = 0;  // of all processes
};

// Reads a graph, of which each process reads its own rows (GraphSource). Labels are read by the
// first process and passed on, with all the options that one machine has; `per_class` and `seed`
// are those of `stkr fit --per-class` (0: keep all labels). `at_first`, if given, receives there
// what one machine knows about all nodes besides the edges. Throws in all processes what any of
// them finds.
SharedGraph read_graph(MPI_Comm comm, const std::filesystem::path& path, const LoadOptions& options,
                       Index per_class = 0, std::uint64_t seed = 1, Dataset* at_first = nullptr);

// The checksum of the graph and its labels that one machine would compute (fingerprint in
// model/fit_model).
std::string fingerprint(const SharedGraph& graph);

}  // namespace stkr::petsc
