#pragma once

#include <zip.h>

#include <cstdint>

namespace stkr::detail {

// Makes libzip write an archive to an open file. Given a path, libzip would write to its own
// temporary file, which is left behind if the process is killed.
class ZipDescriptor {
 public:
  explicit ZipDescriptor(int descriptor);  // open for reading and writing; stays open
  ~ZipDescriptor();
  ZipDescriptor(const ZipDescriptor&) = delete;
  ZipDescriptor& operator=(const ZipDescriptor&) = delete;

  // Returns an empty archive, which this object must outlive; null on failure, with the reason in
  // `error`.
  zip_t* open(zip_error_t* error);

 private:
  static zip_int64_t handle(void* self, void* data, zip_uint64_t size, zip_source_cmd_t command);
  zip_int64_t read(void* data, zip_uint64_t size);
  zip_int64_t write(const void* data, zip_uint64_t size);
  zip_int64_t seek(std::int64_t& offset, void* data, zip_uint64_t size);
  zip_int64_t describe(void* data, zip_uint64_t size);
  zip_int64_t fail(int code);

  int descriptor_;
  std::int64_t read_at_ = 0;
  std::int64_t write_at_ = 0;
  std::int64_t size_ = 0;
  zip_error_t error_;
};

}  // namespace stkr::detail
