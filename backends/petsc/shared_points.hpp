#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared_samples.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr::petsc {

// Points of which every process has some: about as many as every other.
struct SharedPoints : SharedSamples {
  SharedMatrix rows;  // of this process
  std::vector<std::string> feature_names;
  std::optional<TableEncoding> encoding{};  // how they were standardized
};

// Reads the dense points of an .npz file: each process reads its own rows, from where they are in
// the file if it is not compressed. Labels are read by the first process and passed on, with all
// the options that one machine has; `per_class` and `seed` are those of `stkr fit --per-class` (0:
// keep all labels). `at_first`, if given, receives there what one machine knows about all samples
// besides the points. Throws in all processes what any of them finds.
SharedPoints read_points(MPI_Comm comm, const std::filesystem::path& path,
                         const LoadOptions& options, Index per_class = 0, std::uint64_t seed = 1,
                         Dataset* at_first = nullptr);

// Samples that all processes list: their points, in double, in all of them.
Matrix gathered_rows(const RowLayout& layout, const SharedMatrix& own,
                     std::span<const Index> samples);

// The checksum of the points and their labels that one machine would compute (fingerprint in
// model/fit_model).
std::string fingerprint(const SharedPoints& points);

}  // namespace stkr::petsc
