#include "byte_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::size_t kPackedBuffer = 1 << 16;

// Decompresses gzip.
class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream& stream() { return stream_; }

 private:
  z_stream stream_ = {};
};

}  // namespace

struct ByteSource::State {
  std::string shown;
  std::ifstream in;
  std::unique_ptr<Inflater> inflater;  // if the file is compressed
  std::vector<char> packed;
  bool member_ended = false;  // of the compressed file; another may follow

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: {}", shown, what));
  }

  std::size_t read_file(char* to, std::size_t most) {
    in.read(to, static_cast<std::streamsize>(most));
    if (in.bad()) fail("cannot be read to its end");
    return static_cast<std::size_t>(in.gcount());
  }

  // Refills the compressed bytes; returns false at the end of the file.
  bool refill(z_stream& stream) {
    if (stream.avail_in > 0) return true;
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(read_file(packed.data(), packed.size()));
    return stream.avail_in > 0;
  }

  std::size_t inflate_some(char* to, std::size_t most) {
    constexpr std::size_t kMostAtOnce = 1 << 30;
    z_stream& stream = inflater->stream();
    stream.next_out = reinterpret_cast<Bytef*>(to);
    stream.avail_out = static_cast<uInt>(std::min(most, kMostAtOnce));
    while (stream.avail_out > 0) {
      if (!refill(stream)) {
        if (member_ended) break;
        fail("the gzip data ends early: the file is truncated; copy or download it again");
      }
      if (member_ended) inflateReset(&stream);
      const int status = inflate(&stream, Z_NO_FLUSH);
      if (status == Z_MEM_ERROR) throw std::bad_alloc();
      if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
        fail(fmt::format("the gzip data is damaged ({}); copy or download it again",
                         stream.msg != nullptr ? stream.msg : "no reason given"));
      }
      member_ended = status == Z_STREAM_END;
    }
    return static_cast<std::size_t>(reinterpret_cast<char*>(stream.next_out) - to);
  }
};

ByteSource::ByteSource(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.shown = path.string();
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) {
    state.fail(
        "is a pipe, and data are read more than once; pass it as standard input, as in "
        "- --format csv");
  }
  state.in.open(path, std::ios::binary);
  if (!state.in) state.fail("cannot be opened; check the path and the permissions");
  std::array<char, 2> start{};
  const std::size_t found = state.read_file(start.data(), start.size());
  if (found == 0) state.fail("is empty");
  state.in.clear();
  state.in.seekg(0);
  if (found < 2 || start[0] != '\x1f' || start[1] != '\x8b') return;
  state.inflater = std::make_unique<Inflater>();
  state.packed.resize(kPackedBuffer);
}

ByteSource::~ByteSource() = default;
ByteSource::ByteSource(ByteSource&&) noexcept = default;

std::size_t ByteSource::read(char* to, std::size_t most) {
  if (!state_->inflater) return state_->read_file(to, most);
  std::size_t count = 0;
  while (count < most) {
    const std::size_t more = state_->inflate_some(to + count, most - count);
    if (more == 0) break;
    count += more;
  }
  return count;
}

void ByteSource::skip(Index bytes) {
  if (!state_->inflater) {
    state_->in.seekg(static_cast<std::streamoff>(bytes), std::ios::cur);
    return;
  }
  std::vector<char> part(std::size_t{1} << 18);
  while (bytes > 0) {
    const std::size_t some = std::min(part.size(), static_cast<std::size_t>(bytes));
    if (read(part.data(), some) < some) return;  // the next read() finds the end
    bytes -= static_cast<Index>(some);
  }
}

bool ByteSource::compressed() const { return state_->inflater != nullptr; }

const std::string& ByteSource::shown_path() const { return state_->shown; }

Index content_size(const std::filesystem::path& path) {
  ByteSource source(path);
  if (!source.compressed()) {
    std::error_code failed;
    const std::uint64_t size = std::filesystem::file_size(path, failed);
    if (failed) {
      throw DataError(
          fmt::format("{}: cannot be opened; check the path and the permissions", path.string()));
    }
    return static_cast<Index>(size);
  }
  std::vector<char> part(std::size_t{1} << 18);
  Index size = 0;
  for (std::size_t count = part.size(); count == part.size();) {
    count = source.read(part.data(), part.size());
    size += static_cast<Index>(count);
  }
  return size;
}

}  // namespace stkr::detail
