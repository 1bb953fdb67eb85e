#include <fmt/format.h>
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>

#include "format/atomic_file.hpp"
#include "format/npz.hpp"
#include "npz_seal.hpp"
#include "stkr/error.hpp"
#include "temporary_file.hpp"
#include "zip_descriptor.hpp"

namespace stkr {
namespace {

// 1 January 1980, the earliest date in a zip archive.
constexpr zip_uint16_t kFixedDate = 0x21;

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};

zip_buffer_fragment_t fragment(const void* data, std::size_t size) {
  // libzip's type is not const, but a source without ownership only reads.
  return {static_cast<zip_uint8_t*>(const_cast<void*>(data)), size};
}

// A libzip source of `head` and then the bytes of a stream.
struct StreamSource {
  std::string_view head;
  const std::function<void(std::span<std::byte>)>& read;
  std::uint64_t bytes;  // with the head
  std::uint64_t done = 0;
  std::exception_ptr failure{};

  static zip_int64_t call(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command) {
    auto& source = *static_cast<StreamSource*>(self);
    switch (command) {
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE,
                                              ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE,
                                              -1);
      case ZIP_SOURCE_STAT: {
        auto* stat = static_cast<zip_stat_t*>(data);
        zip_stat_init(stat);
        stat->size = source.bytes;
        stat->valid = ZIP_STAT_SIZE;
        return sizeof(zip_stat_t);
      }
      case ZIP_SOURCE_READ:
        return source.fill({static_cast<std::byte*>(data), size});
      case ZIP_SOURCE_ERROR: {
        const std::array<int, 2> codes = {ZIP_ER_READ, EIO};
        std::memcpy(data, codes.data(), sizeof(codes));
        return sizeof(codes);
      }
      default:
        return 0;
    }
  }

  zip_int64_t fill(std::span<std::byte> out) {
    const std::size_t count = std::min<std::uint64_t>(out.size(), bytes - done);
    try {
      for (auto rest = out.first(count); !rest.empty();) {
        std::size_t now = rest.size();
        if (done < head.size()) {
          now = std::min<std::size_t>(now, head.size() - done);
          std::memcpy(rest.data(), head.data() + done, now);
        } else {
          read(rest);
        }
        done += now;
        rest = rest.subspan(now);
      }
    } catch (...) {
      failure = std::current_exception();
      return -1;
    }
    return static_cast<zip_int64_t>(count);
  }
};

}  // namespace

void NpzWriter::add_stream(std::string_view name, std::string_view descr, std::vector<Index> shape,
                           ReadBytes read) {
  // "<f8": the last digits are the bytes per element.
  std::uint64_t bytes = std::stoul(std::string(descr.substr(2)));
  for (const Index size : shape) bytes *= static_cast<std::uint64_t>(size);
  members_.push_back(
      {fmt::format("{}.npy", name), npy_header_text(descr, shape), {}, std::move(read), bytes});
}

void NpzWriter::add_bytes(std::string_view name, std::string_view descr,
                          std::span<const std::byte> data, std::span<const Index> shape) {
  members_.push_back({fmt::format("{}.npy", name), npy_header_text(descr, shape), data});
}

template <class T>
void NpzWriter::add(std::string_view name, std::span<const T> values, std::vector<Index> shape) {
  Index elements = 1;
  for (const Index size : shape) elements *= size;
  if (elements != static_cast<Index>(values.size())) {
    throw ShapeError(fmt::format("NpzWriter::add: array {} has {} values but its shape has {}",
                                 name, values.size(), elements));
  }
  add_bytes(name, npy_descr<T>(), std::as_bytes(values), shape);
}

template void NpzWriter::add(std::string_view, std::span<const double>, std::vector<Index>);
template void NpzWriter::add(std::string_view, std::span<const float>, std::vector<Index>);
template void NpzWriter::add(std::string_view, std::span<const std::int64_t>, std::vector<Index>);
template void NpzWriter::add(std::string_view, std::span<const std::int32_t>, std::vector<Index>);
template void NpzWriter::add(std::string_view, std::span<const std::uint8_t>, std::vector<Index>);

void NpzWriter::add(std::string_view name, const SharedMatrix& matrix) {
  const std::array<Index, 2> shape = {matrix.rows(), matrix.cols()};
  add_bytes(name, matrix.single() ? npy_descr<float>() : npy_descr<double>(), matrix.bytes(),
            shape);
}

void NpzWriter::add_strings(std::string_view name, std::span<const std::string> texts) {
  NpyText text = npy_text(texts);
  owned_.push_back(std::move(text.data));
  const std::array<Index, 1> shape = {static_cast<Index>(texts.size())};
  add_bytes(name, text.descr, std::as_bytes(std::span(owned_.back())), shape);
}

void NpzWriter::add_text(std::string_view name, std::string text) {
  members_.push_back({std::string(name), std::move(text), {}});
}

std::uint64_t NpzWriter::data_bytes() const {
  std::uint64_t bytes = 0;
  for (const Member& member : members_) bytes += member.data.size() + member.stream_bytes;
  return bytes;
}

void NpzWriter::write(const std::filesystem::path& path, const NpzWriteOptions& options) const {
  if (is_stream(path)) {
    return write_atomically(path, [&](FileSink& sink) { write(sink, options); });
  }
  AtomicFile file(path);
  write_archive(file.descriptor(), path.string(), options);
  file.commit();
}

void NpzWriter::write(FileSink& sink, const NpzWriteOptions& options) const {
  const detail::ScratchFile file;
  write_archive(file.descriptor(), "a temporary file", options);
  std::string buffer(1 << 16, '\0');
  for (off_t at = 0;;) {
    const ssize_t count = ::pread(file.descriptor(), buffer.data(), buffer.size(), at);
    if (count < 0) detail::fail_to_write("a temporary file", "reading it back", errno);
    if (count == 0) break;
    sink.write(std::string_view(buffer).substr(0, static_cast<std::size_t>(count)));
    at += count;
  }
}

void NpzWriter::write_archive(int descriptor, const std::string& shown,
                              const NpzWriteOptions& options) const {
  if (members_.empty()) throw ValueError("NpzWriter::write: no members; add an array first");
  const auto fail = [&](const std::string& why) {
    throw WriteError(
        fmt::format("{}: cannot write: {}; an existing file is unchanged", shown, why));
  };
  detail::ZipDescriptor output(descriptor);
  zip_error_t error;
  zip_error_init(&error);
  std::unique_ptr<zip_t, DiscardArchive> zip(output.open(&error));
  const std::string problem = zip == nullptr ? zip_error_strerror(&error) : "";
  zip_error_fini(&error);
  if (zip == nullptr) fail(problem);
  std::deque<StreamSource> streams;  // used until the archive is closed
  for (const Member& member : members_) {
    std::array fragments = {fragment(member.head.data(), member.head.size()),
                            fragment(member.data.data(), member.data.size())};
    const std::size_t used = member.data.empty() ? 1 : 2;
    if (member.read) {
      streams.push_back({member.head, member.read, member.head.size() + member.stream_bytes});
    }
    zip_source_t* source = member.read
                               ? zip_source_function(zip.get(), StreamSource::call, &streams.back())
                               : zip_source_buffer_fragment(zip.get(), fragments.data(), used, 0);
    if (source == nullptr) fail(zip_strerror(zip.get()));
    const zip_int64_t index =
        zip_file_add(zip.get(), member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    if (index < 0) {
      zip_source_free(source);
      throw ValueError(
          fmt::format("{}: cannot add {}: {}", shown, member.name, zip_strerror(zip.get())));
    }
    const auto at = static_cast<zip_uint64_t>(index);
    const zip_int32_t method = options.deflate ? ZIP_CM_DEFLATE : ZIP_CM_STORE;
    if (zip_set_file_compression(zip.get(), at, method, 0) != 0 ||
        zip_file_set_dostime(zip.get(), at, 0, kFixedDate, 0) != 0) {
      fail(zip_strerror(zip.get()));
    }
  }
  if (options.seal) {
    const std::string comment = detail::unsealed_comment();
    if (zip_set_archive_comment(zip.get(), comment.data(),
                                static_cast<zip_uint16_t>(comment.size())) != 0) {
      fail(zip_strerror(zip.get()));
    }
  }
  const bool closed = zip_close(zip.get()) == 0;
  for (const StreamSource& stream : streams) {
    if (stream.failure) std::rethrow_exception(stream.failure);
  }
  if (!closed) fail(zip_strerror(zip.get()));
  static_cast<void>(zip.release());  // freed by the successful close
  if (options.seal) detail::seal_file(descriptor, shown);
}

}  // namespace stkr
