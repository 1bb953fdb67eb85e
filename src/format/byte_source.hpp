#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "stkr/matrix.hpp"

namespace stkr::detail {

// The bytes of a file in order. A file that starts like gzip is decompressed, whatever its name;
// it may consist of several members. Memory: a small buffer.
class ByteSource {
 public:
  // Throws DataError if the file cannot be opened or is empty.
  explicit ByteSource(const std::filesystem::path& path);
  ~ByteSource();
  ByteSource(ByteSource&&) noexcept;

  // Stores up to `most` further bytes at `to` and returns their number, which is less than `most`
  // only at the end. Throws DataError if the file cannot be read or its compression is damaged or
  // truncated.
  std::size_t read(char* to, std::size_t most);

  // Leaves out the next bytes: at once, unless the file is compressed.
  void skip(Index bytes);

  bool compressed() const;
  const std::string& shown_path() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The number of bytes that ByteSource returns. A compressed file is decompressed once to count
// them, since the size that it declares cannot be trusted: limits and memory plans depend on it.
// Throws DataError like ByteSource.
Index content_size(const std::filesystem::path& path);

}  // namespace stkr::detail
