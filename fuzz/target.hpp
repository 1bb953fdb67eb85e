#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "stkr/dataset/dataset.hpp"

namespace stkr::fuzz {

using Bytes = std::span<const std::uint8_t>;

// One reader of files or values. `run` may throw nothing: what a reader refuses it refuses with a
// stkr::Error, and everything else is a defect.
struct Target {
  std::string_view name;
  void (*run)(Bytes);
  // Changes `size` bytes at `data`, of which there may be `most`, so that checksums and lengths
  // stay right; returns their new number. nullptr: bytes are changed at random.
  std::size_t (*mutate)(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
};

std::span<const Target> all_targets();
const Target* find_target(std::string_view name);

// A file with that content, in a folder of this process that is removed in the end. The same name
// is the same file.
std::filesystem::path scratch_file(std::string_view name, Bytes content);

// Writes what was read in the format of that extension, if it can hold it, and reads it again: a
// file that stkr wrote is one that it reads, with the same samples.
void write_and_read(const Dataset& dataset, std::string_view extension);

// Runs what reads `file`. A stkr::Error is fine; a DataError must name the file.
void read_file(const std::filesystem::path& file,
               const std::function<void(const std::filesystem::path&)>& read);

void run_csv(Bytes input);
void run_edge_list(Bytes input);
void run_matrix_market(Bytes input);
void run_svmlight(Bytes input);
void run_labels(Bytes input);
void run_npy(Bytes input);
void run_npz(Bytes input);
void run_split(Bytes input);
void run_model(Bytes input);
void run_checkpoint(Bytes input);
void run_state(Bytes input);
void run_options(Bytes input);

}  // namespace stkr::fuzz
