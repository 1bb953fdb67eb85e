#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

// libFuzzer's own changes to bytes; in the replay, where nothing is changed, there is none.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace stkr::fuzz {

using Random = std::minstd_rand;

// Target::mutate of .npy files, of .npz files (stkr's seal included), of checkpoints and of states.
std::size_t mutate_npy(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_npz(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
std::size_t mutate_checkpoint(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed);
std::size_t mutate_state(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

// Parts of these: a changed text of at most `most` bytes; a .npy image whose header keeps its form;
// a JSON document with one node changed.
std::string mutated_bytes(std::string text, std::size_t most);
std::string mutated_npy(std::string image, Random& random, std::size_t most);
std::string mutated_json(const std::string& text, Random& random, std::size_t most);

// Copying and writing JSON are recursive: what is deeper than this allows is changed as bytes.
bool is_deep(const std::string& text);

inline std::size_t pick(Random& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

// `text` as the new input, or, where it is too long, random changes of the old one.
std::size_t hand_over(const std::string& text, std::uint8_t* data, std::size_t size,
                      std::size_t most);

}  // namespace stkr::fuzz
