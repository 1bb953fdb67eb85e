#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "dataset/parsed.hpp"
#include "format/crc64.hpp"
#include "petsc_block.hpp"
#include "stkr/dataset/load_dataset.hpp"

namespace stkr::petsc {

// What every kind of data has when processes share its samples.
struct SharedSamples {
  Layout layout;
  std::string name, source, label_source;
  std::vector<std::string> notes, label_candidates;
  Labels labels, truth;  // of the rows of this process
  Index labeled = 0;     // of all processes
  // Names of all samples, in the first process alone, if they have any; what they are called, and
  // the memory that they take there.
  std::vector<std::string> ids;
  std::string id_column;
  std::uint64_t id_bytes = 0;
};

// Deals out the labels that the first process has; the others pass an empty data set. The samples
// themselves are ignored.
SharedSamples share_samples(Dataset at_first, Layout layout);

// The numbers of the labeled samples of all processes, ascending.
std::vector<Index> all_labeled(const SharedSamples& samples);
// The rows of all processes, in the first one; nothing in the others. `width` numbers per row.
template <class T>
std::vector<T> gathered(const std::vector<T>& own, Index width, MPI_Datatype type,
                        const RowLayout& layout);
// All labels, in the first process; none in the others.
Labels gathered(const Labels& own, const RowLayout& layout);

// In the first process: labels, truth and what a report says about them, by the rules of one
// machine, from what a file says besides its samples: these are nodes without edges, whatever they
// are in the file. `per_class` and `seed` are those of `stkr fit --per-class` (0: keep all labels).
Dataset assembled_labels(detail::Parsed parsed, const std::filesystem::path& path, Index samples,
                         const LoadOptions& options, Index per_class, std::uint64_t seed);

// Adds to a checksum the bytes of all processes, in the order of their rows; and their labels, as
// one machine does (fingerprint in model/fit_model).
void append_rows(const RowLayout& layout, std::span<const std::byte> own, Crc64& crc);
void append_labels(const SharedSamples& samples, Crc64& crc);

}  // namespace stkr::petsc
