#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/npy.hpp"
#include "stkr/linop/feature_matrix.hpp"

namespace stkr {

class FileSink;

// A sealed archive ends with a checksum of all preceding bytes, stored in the zip comment, so that
// a change anywhere in the file is detected: zip's own checksums cover the data but not the
// headers.
enum class Seal { ignored, required };

struct NpzMember {
  std::string name;                 // without .npy for arrays; as it is for other members
  std::uint64_t bytes = 0;          // uncompressed
  bool stored = true;               // not compressed
  std::optional<NpyHeader> header;  // of readable arrays
  std::string problem;              // why an array is unreadable (a pickle, say); thrown on loading
  std::uint32_t crc = 0;            // CRC-32 of its bytes, as the archive's directory says
};

// Reads numpy.savez archives. The constructor reads the directory and the array headers, array()
// opens one member and text() reads one; the CRC is checked with the last byte. The reader must
// outlive its arrays. Several arrays may be read alternately, but not by several threads at once.
// All functions throw DataError with the file and the member in the message.
class NpzReader {
 public:
  explicit NpzReader(const std::filesystem::path& path, Seal seal = Seal::ignored);
  // An archive in memory, which must outlive the reader. Messages show `shown` as the path.
  NpzReader(std::span<const std::byte> bytes, std::string shown);
  ~NpzReader();
  NpzReader(NpzReader&&) noexcept;
  NpzReader& operator=(NpzReader&&) noexcept;

  // References are valid as long as the reader. Deleted for temporaries: in C++20, a temporary
  // reader is destroyed before the first iteration of a range-for over its members.
  const std::string& shown_path() const&;
  const std::string& shown_path() const&& = delete;
  const std::vector<NpzMember>& members() const&;
  const std::vector<NpzMember>& members() const&& = delete;
  bool has(std::string_view name) const;        // any member
  bool has_array(std::string_view name) const;  // readable or not
  const NpyHeader& header(std::string_view name) const&;
  const NpyHeader& header(std::string_view name) const&& = delete;
  NpyArray array(std::string_view name) const&;
  NpyArray array(std::string_view name) const&& = delete;
  std::string text(std::string_view name) const;

 private:
  struct Archive;
  std::unique_ptr<Archive> archive_;
};

struct NpzWriteOptions {
  bool deflate = false;
  bool seal = false;
};

// Collects members, then writes them all. Arrays are not copied and must outlive the last call of
// write(). Equal content gives equal bytes: timestamps are fixed.
class NpzWriter {
 public:
  template <class T>  // double, float, std::int64_t, std::int32_t, std::uint8_t
  void add(std::string_view name, std::span<const T> values, std::vector<Index> shape);
  template <class T>
  void add(std::string_view name, std::span<const T> values) {
    add(name, values, {static_cast<Index>(values.size())});
  }
  template <class T>
  void add(std::string_view name, const std::vector<T>& values) {
    add(name, std::span<const T>(values));
  }
  template <class T>
  void add(std::string_view name, std::vector<T>&& values) = delete;
  void add(std::string_view name, const Matrix& matrix) {
    add(name, std::span<const double>(matrix.data(), static_cast<std::size_t>(matrix.size())),
        {matrix.rows(), matrix.cols()});
  }
  void add(std::string_view name, Matrix&& matrix) = delete;
  void add(std::string_view name, const SharedMatrix& matrix);
  // A NumPy unicode array; copied.
  void add_strings(std::string_view name, std::span<const std::string> texts);
  // A member that is not an array, such as "model.json"; copied.
  void add_text(std::string_view name, std::string text);

  // An array whose bytes come in order while the archive is written: `read` fills its argument
  // with the next ones. `descr` as npy_descr gives it. Only for one call of write().
  using ReadBytes = std::function<void(std::span<std::byte> next)>;
  void add_stream(std::string_view name, std::string_view descr, std::vector<Index> shape,
                  ReadBytes read);

  bool empty() const { return members_.empty(); }
  // Size of all arrays, without their headers.
  std::uint64_t data_bytes() const;

  // Completely or not at all. If is_stream(path), the archive is made in an unnamed temporary file
  // and copied.
  void write(const std::filesystem::path& path, const NpzWriteOptions& options = {}) const;

 private:
  struct Member {
    std::string name;
    std::string head;  // the .npy header, or the whole text
    std::span<const std::byte> data;
    ReadBytes read{};                // instead of `data`
    std::uint64_t stream_bytes = 0;  // of it
  };
  void add_bytes(std::string_view name, std::string_view descr, std::span<const std::byte> data,
                 std::span<const Index> shape);
  void write(FileSink& sink, const NpzWriteOptions& options) const;
  void write_archive(int descriptor, const std::string& shown,
                     const NpzWriteOptions& options) const;

  std::vector<Member> members_;
  std::deque<std::vector<char32_t>> owned_;
};

}  // namespace stkr
