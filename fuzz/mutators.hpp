#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

// libFuzzer's own mutation of bytes; not available in the replay, which mutates nothing.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace stkr::fuzz {

using Random = std::minstd_rand;

// Target::mutate for .npy files, .npz files (including stkr's seal), checkpoints and states.
std::size_t mutate_npy(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_npz(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_checkpoint(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed);
std::size_t mutate_state(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

// Helpers: a mutated text of at most `most` bytes; a .npy image with a well-formed header; a JSON
// document with one mutated node.
std::string mutated_bytes(std::string text, std::size_t most);
std::string mutated_npy(std::string image, Random& random, std::size_t most);
std::string mutated_json(const std::string& text, Random& random, std::size_t most);

// Whether a JSON text is nested too deeply to be copied and written recursively; it is then mutated
// as bytes.
bool is_deep(const std::string& text);

inline std::size_t pick(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

// Returns `text` as the new input or, if it is too long, a random mutation of the old input.
std::size_t hand_over(const std::string& text, std::uint8_t* data, std::size_t size,
                      std::size_t most);

}  // namespace stkr::fuzz
