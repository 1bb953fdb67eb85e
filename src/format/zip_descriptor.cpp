#include "zip_descriptor.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace stkr::detail {

ZipDescriptor::ZipDescriptor(int descriptor) : descriptor_(descriptor) { zip_error_init(&error_); }
ZipDescriptor::~ZipDescriptor() { zip_error_fini(&error_); }

zip_t* ZipDescriptor::open(zip_error_t* error) {
  zip_source_t* const source = zip_source_function_create(&ZipDescriptor::handle, this, error);
  if (source == nullptr) return nullptr;
  zip_t* const archive = zip_open_from_source(source, ZIP_CREATE | ZIP_TRUNCATE, error);
  if (archive == nullptr) zip_source_free(source);
  return archive;
}

zip_int64_t ZipDescriptor::handle(void* self, void* data, zip_uint64_t size,
                                  zip_source_cmd_t command) {
  ZipDescriptor& file = *static_cast<ZipDescriptor*>(self);
  switch (command) {
    case ZIP_SOURCE_SUPPORTS:
      return zip_source_make_command_bitmap(
          ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
          ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS,
          ZIP_SOURCE_BEGIN_WRITE, ZIP_SOURCE_WRITE, ZIP_SOURCE_SEEK_WRITE, ZIP_SOURCE_TELL_WRITE,
          ZIP_SOURCE_COMMIT_WRITE, ZIP_SOURCE_ROLLBACK_WRITE, ZIP_SOURCE_REMOVE, -1);
    case ZIP_SOURCE_OPEN:
      file.read_at_ = 0;
      return 0;
    case ZIP_SOURCE_READ:
      return file.read(data, size);
    case ZIP_SOURCE_SEEK:
      return file.seek(file.read_at_, data, size);
    case ZIP_SOURCE_TELL:
      return file.read_at_;
    case ZIP_SOURCE_STAT:
      return file.describe(data, size);
    case ZIP_SOURCE_BEGIN_WRITE:
      file.write_at_ = 0;
      return 0;
    case ZIP_SOURCE_WRITE:
      return file.write(data, size);
    case ZIP_SOURCE_SEEK_WRITE:
      return file.seek(file.write_at_, data, size);
    case ZIP_SOURCE_TELL_WRITE:
      return file.write_at_;
    case ZIP_SOURCE_ERROR:
      return zip_error_to_data(&file.error_, data, size);
    case ZIP_SOURCE_CLOSE:  // the owner commits or discards the file
    case ZIP_SOURCE_COMMIT_WRITE:
    case ZIP_SOURCE_ROLLBACK_WRITE:
    case ZIP_SOURCE_REMOVE:
    case ZIP_SOURCE_FREE:
      return 0;
    default:
      zip_error_set(&file.error_, ZIP_ER_OPNOTSUPP, 0);
      return -1;
  }
}

zip_int64_t ZipDescriptor::fail(int code) {
  zip_error_set(&error_, code, errno);
  return -1;
}

zip_int64_t ZipDescriptor::read(void* data, zip_uint64_t size) {
  ssize_t count = 0;
  do {
    count = ::pread(descriptor_, data, size, read_at_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return fail(ZIP_ER_READ);
  read_at_ += count;
  return count;
}

zip_int64_t ZipDescriptor::write(const void* data, zip_uint64_t size) {
  const char* bytes = static_cast<const char*>(data);
  for (zip_uint64_t left = size; left > 0;) {
    const ssize_t count = ::pwrite(descriptor_, bytes, left, write_at_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail(ZIP_ER_WRITE);
    bytes += count;
    left -= static_cast<zip_uint64_t>(count);
    write_at_ += count;
  }
  size_ = std::max(size_, write_at_);
  return static_cast<zip_int64_t>(size);
}

zip_int64_t ZipDescriptor::seek(std::int64_t& offset, void* data, zip_uint64_t size) {
  const zip_int64_t to = zip_source_seek_compute_offset(
      static_cast<zip_uint64_t>(offset), static_cast<zip_uint64_t>(size_), data, size, &error_);
  if (to < 0) return -1;
  offset = to;
  return 0;
}

zip_int64_t ZipDescriptor::describe(void* data, zip_uint64_t size) {
  if (size < sizeof(zip_stat_t)) return fail(ZIP_ER_INVAL);
  auto* const stat = static_cast<zip_stat_t*>(data);
  zip_stat_init(stat);
  stat->valid = ZIP_STAT_SIZE;
  stat->size = static_cast<zip_uint64_t>(size_);
  return sizeof(zip_stat_t);
}

}  // namespace stkr::detail
