#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string_view>

#include "stkr/dataset/dataset.hpp"

namespace stkr::fuzz {

using Bytes = std::span<const std::uint8_t>;

// One reader of files or values. `run` must not throw: a reader rejects input with a stkr::Error,
// and anything else is a defect.
struct Target {
  std::string_view name;
  void (*run)(Bytes);
  // Mutates `size` bytes at `data`, up to a size of `most`, so that checksums and lengths stay
  // consistent. Returns the new size. nullptr: bytes are mutated at random.
  std::size_t (*mutate)(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
};

std::span<const Target> all_targets();
const Target* find_target(std::string_view name);

// Creates a file with that content in a folder of this process, which is removed at the end. Equal
// names refer to the same file.
std::filesystem::path scratch_file(std::string_view name, Bytes content);

// Writes a data set in the format of that extension, if the format can store it, and reads it
// back. Aborts unless stkr reads its own file with the same samples and the same kind of labels.
void write_and_read(const Dataset& dataset, std::string_view extension);

// Calls read(file). It may throw a stkr::Error; a DataError must name the file.
void read_file(const std::filesystem::path& file,
               const std::function<void(const std::filesystem::path&)>& read);

void run_csv(Bytes input);
void run_edge_list(Bytes input);
void run_matrix_market(Bytes input);
void run_graphml(Bytes input);
void run_gzip(Bytes input);
void run_h5ad(Bytes input);
void run_svmlight(Bytes input);
void run_answers(Bytes input);
void run_labels(Bytes input);
void run_npy(Bytes input);
void run_npz(Bytes input);
void run_split(Bytes input);
void run_model(Bytes input);
void run_checkpoint(Bytes input);
void run_state(Bytes input);
void run_options(Bytes input);

}  // namespace stkr::fuzz
