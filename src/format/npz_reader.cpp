#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zip.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <unordered_set>

#include "format/data_failure.hpp"
#include "format/npz.hpp"
#include "npz_seal.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

constexpr std::string_view kSuffix = ".npy";
// Largest expansion factor of deflate: 258 bytes from two bits.
constexpr std::uint64_t kMostExpansion = 1032;

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

std::string text_of(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

struct MemberPlace {
  zip_t* zip;
  std::size_t index;
  std::uint64_t size;
  bool stored;  // not compressed
  std::uint32_t crc;
  std::filesystem::path archive;  // empty: in memory
};

// The bytes of one member. Reading the last byte checks the CRC.
class MemberBytes : public ByteSource {
 public:
  MemberBytes(MemberPlace place, std::string shown)
      : place_(std::move(place)), left_(place_.size), shown_(std::move(shown)) {
    file_.reset(zip_fopen_index(place_.zip, place_.index, 0));
    if (file_ == nullptr)
      fail_to_read(shown_, fmt::format("cannot be read: {}", zip_strerror(place_.zip)));
  }

  void read(std::span<std::byte> out) override {
    left_ -= std::min<std::uint64_t>(left_, out.size());
    while (!out.empty()) {
      const std::size_t count = read_some(out);
      if (count == 0) fail_to_read(shown_, "is shorter than the archive declares; it is damaged");
      out = out.subspan(count);
    }
    std::byte beyond{};
    // libzip compares the CRC when it reaches the end.
    if (left_ == 0 && read_some({&beyond, 1}) != 0) {
      fail_to_read(shown_, "is longer than the archive declares; it is damaged");
    }
  }

  // What is left out is not covered by the CRC.
  void skip(std::uint64_t bytes) override {
    if (!place_.stored || bytes == 0 || bytes >= left_) return ByteSource::skip(bytes);
    if (zip_fseek(file_.get(), static_cast<zip_int64_t>(bytes), SEEK_CUR) != 0) {
      fail_to_read(shown_, "cannot be read from its middle; it is damaged");
    }
    left_ -= bytes;
  }

  // Each part by a handle of its own; the CRC of the member is put together from those of the
  // parts, the first of which are the bytes that were read before.
  bool read_parts(std::uint64_t bytes, const UsePart& use) override {
    constexpr std::uint64_t kPart = std::uint64_t{1} << 22;
    if (!place_.stored || place_.archive.empty() || bytes != left_ || bytes < 2 * kPart) {
      return false;
    }
    const std::uint64_t before = place_.size - bytes;
    const auto parts = static_cast<Index>((bytes + kPart - 1) / kPart);
    const auto start = [&](Index k) { return static_cast<std::uint64_t>(k) * kPart; };
    std::vector<uLong> crc(static_cast<std::size_t>(parts) + 1);
    parallel_tasks(parts + 1, 0, [&](Index task) {
      const bool head = task == parts;
      std::vector<std::byte> part(head ? before : std::min(kPart, bytes - start(task)));
      read_at(head ? 0 : before + start(task), part);
      crc[static_cast<std::size_t>(task)] =
          crc32_z(0, reinterpret_cast<const Bytef*>(part.data()), part.size());
      if (!head) use(start(task), part);
    });
    uLong all = crc.back();
    for (Index k = 0; k < parts; ++k) {
      const std::uint64_t size = std::min(kPart, bytes - start(k));
      all = crc32_combine(all, crc[static_cast<std::size_t>(k)], static_cast<z_off_t>(size));
    }
    if (all != place_.crc) fail_to_read(shown_, "is damaged: CRC error");
    left_ = 0;
    return true;
  }

 private:
  void read_at(std::uint64_t offset, std::span<std::byte> out) const {
    const std::unique_ptr<zip_t, CloseArchive> zip(
        zip_open(place_.archive.c_str(), ZIP_RDONLY, nullptr));
    const std::unique_ptr<zip_file_t, CloseFile> file(
        zip ? zip_fopen_index(zip.get(), place_.index, 0) : nullptr);
    if (!file || zip_fseek(file.get(), static_cast<zip_int64_t>(offset), SEEK_SET) != 0) {
      fail_to_read(shown_, "cannot be read from its middle; it is damaged");
    }
    while (!out.empty()) {
      const zip_int64_t count = zip_fread(file.get(), out.data(), out.size());
      if (count <= 0) {
        fail_to_read(shown_, "is shorter than the archive declares; it is damaged");
      }
      out = out.subspan(static_cast<std::size_t>(count));
    }
  }

  std::size_t read_some(std::span<std::byte> out) {
    const zip_int64_t count = zip_fread(file_.get(), out.data(), out.size());
    if (count < 0)
      fail_to_read(shown_, fmt::format("is damaged: {}", zip_file_strerror(file_.get())));
    return static_cast<std::size_t>(count);
  }

  MemberPlace place_;
  std::unique_ptr<zip_file_t, CloseFile> file_;
  std::uint64_t left_;
  std::string shown_;
};

// Throws DataError with a clear message for a file that is not a zip archive.
void check_start(std::string_view start, const std::string& shown) {
  if (start.empty()) fail_to_read(shown, "is empty; expected an .npz archive");
  if (!start.starts_with("PK")) {
    fail_to_read(shown,
                 "is not an .npz archive: it does not start with PK; expected a file written by "
                 "numpy.savez or by stkr");
  }
}

}  // namespace

struct NpzReader::Archive {
  std::string shown;
  std::filesystem::path path;  // empty: in memory
  std::uint64_t file_size = 0;
  std::unique_ptr<zip_t, CloseArchive> zip;
  std::vector<NpzMember> members;
  std::unordered_set<std::string> seen;  // names of members

  std::string where(std::string_view name) const {
    return fmt::format("{}: array {}", shown, name);
  }

  std::size_t find(std::string_view name) const {
    const auto found = std::find_if(members.begin(), members.end(),
                                    [&](const NpzMember& member) { return member.name == name; });
    if (found == members.end()) {
      std::vector<std::string> names;
      for (const NpzMember& member : members) names.push_back(member.name);
      fail_to_read(shown, fmt::format("has no array {}; it has {}", name, fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - members.begin());
  }

  std::unique_ptr<ByteSource> open(std::size_t index, const std::string& shown_member) const {
    const NpzMember& member = members[index];
    return std::make_unique<MemberBytes>(
        MemberPlace{zip.get(), index, member.bytes, member.stored, member.crc, path}, shown_member);
  }

  void add_member(zip_uint64_t index) {
    zip_stat_t stat;
    const bool known = zip_stat_index(zip.get(), index, 0, &stat) == 0;
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                     ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD |
                                     ZIP_STAT_CRC;
    if (!known || (stat.valid & kNeeded) != kNeeded)
      fail_to_read(shown, "its directory is damaged");
    NpzMember member{.name = stat.name,
                     .bytes = stat.size,
                     .stored = stat.comp_method == ZIP_CM_STORE,
                     .header = {},
                     .problem = {},
                     .crc = stat.crc};
    const std::string shown_member = fmt::format("{}: member {}", shown, member.name);
    if (stat.encryption_method != ZIP_EM_NONE)
      fail_to_read(shown_member, "is encrypted, or damaged");
    if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
      fail_to_read(shown_member,
                   "is compressed by a method other than deflate; write it with numpy.savez");
    }
    const std::uint64_t most =
        stat.comp_method == ZIP_CM_STORE ? stat.comp_size : (stat.comp_size + 1) * kMostExpansion;
    if (stat.comp_size > file_size || stat.size > most) {
      fail_to_read(shown_member,
                   fmt::format("declares {} bytes, more than the file can contain; it is damaged",
                               stat.size));
    }
    if (member.name.ends_with(kSuffix)) {
      member.name.resize(member.name.size() - kSuffix.size());
      // A pickled array must not make the other arrays unreadable: it is rejected when it is
      // accessed.
      try {
        const std::string name = where(member.name);
        MemberBytes source({zip.get(), index, stat.size, member.stored, stat.crc, path}, name);
        member.header = read_npy_header(source, stat.size, name);
      } catch (const DataError& error) {
        member.problem = error.what();
      }
    }
    if (!seen.insert(member.name).second) {
      fail_to_read(shown, fmt::format("contains {} twice", member.name));
    }
    members.push_back(std::move(member));
  }

  void add_members() {
    constexpr zip_int64_t kMostMembers = 10'000;
    const zip_int64_t count = zip_get_num_entries(zip.get(), 0);
    if (count > kMostMembers) {
      fail_to_read(shown, fmt::format("has {} members, expected at most {}", count, kMostMembers));
    }
    for (zip_int64_t i = 0; i < count; ++i) add_member(static_cast<zip_uint64_t>(i));
  }
};

NpzReader::NpzReader(const std::filesystem::path& path, Seal seal)
    : archive_(std::make_unique<Archive>()) {
  archive_->shown = path.string();
  archive_->path = path;
  std::error_code error;
  archive_->file_size = std::filesystem::file_size(path, error);
  std::ifstream in(path, std::ios::binary);
  if (error || !in)
    fail_to_read(archive_->shown, "cannot be opened; check the path and the permissions");
  std::string start(4, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  check_start(std::string_view(start).substr(0, static_cast<std::size_t>(in.gcount())),
              archive_->shown);
  if (seal == Seal::required) detail::check_seal(path);
  int code = 0;
  archive_->zip.reset(zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (archive_->zip == nullptr) {
    fail_to_read(archive_->shown,
                 fmt::format("is not a complete .npz archive ({}); it may be truncated: copy "
                             "or write it again",
                             text_of(code)));
  }
  archive_->add_members();
}

NpzReader::NpzReader(std::span<const std::byte> bytes, std::string shown)
    : archive_(std::make_unique<Archive>()) {
  archive_->shown = std::move(shown);
  archive_->file_size = bytes.size();
  check_start({reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 4)},
              archive_->shown);
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source != nullptr) {
    archive_->zip.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
    if (archive_->zip == nullptr) zip_source_free(source);
  }
  const std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  if (archive_->zip == nullptr) {
    fail_to_read(archive_->shown, fmt::format("is not a complete .npz archive ({})", text));
  }
  archive_->add_members();
}

NpzReader::~NpzReader() = default;
NpzReader::NpzReader(NpzReader&&) noexcept = default;
NpzReader& NpzReader::operator=(NpzReader&&) noexcept = default;

const std::string& NpzReader::shown_path() const& { return archive_->shown; }

const std::vector<NpzMember>& NpzReader::members() const& { return archive_->members; }

bool NpzReader::has(std::string_view name) const {
  return std::any_of(members().begin(), members().end(),
                     [&](const NpzMember& member) { return member.name == name; });
}

bool NpzReader::has_array(std::string_view name) const {
  return std::any_of(members().begin(), members().end(), [&](const NpzMember& member) {
    return member.name == name && (member.header.has_value() || !member.problem.empty());
  });
}

const NpyHeader& NpzReader::header(std::string_view name) const& {
  const NpzMember& member = members()[archive_->find(name)];
  if (!member.problem.empty()) throw DataError(member.problem);
  if (!member.header) fail_to_read(archive_->shown, fmt::format("member {} is not an array", name));
  return *member.header;
}

NpyArray NpzReader::array(std::string_view name) const& {
  const std::size_t index = archive_->find(name);
  static_cast<void>(header(name));
  const std::string where = archive_->where(name);
  return open_npy(archive_->open(index, where), members()[index].bytes, where);
}

std::string NpzReader::text(std::string_view name) const {
  const std::size_t index = archive_->find(name);
  const std::string where = fmt::format("{}: member {}", archive_->shown, name);
  std::string text(members()[index].bytes, '\0');
  archive_->open(index, where)->read(std::as_writable_bytes(std::span(text)));
  return text;
}

}  // namespace stkr
