// Makes one C library call fail, for tests/faults/run:
//
//     LD_PRELOAD=fault_preload.so STKR_FAULT=write:3:enospc STKR_FAULT_UNDER=/tmp/x stkr ...
//
// makes the third write to a file under /tmp/x, and all later ones, fail as on a full disk. With
// STKR_FAULT_COUNT=FILE nothing fails, and the number of calls per function is written to FILE.

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(size_t size);

namespace {

enum Function {
  kWrite,
  kPwrite,
  kRead,
  kPread,
  kOpen,
  kFopen,
  kFread,
  kFclose,
  kClose,
  kFsync,
  kLinkat,
  kRename,
  kMalloc,
  kThread,
  kFunctions
};
constexpr const char* kNames[kFunctions] = {"write",  "pwrite", "read",   "pread",         "open",
                                            "fopen",  "fread",  "fclose", "close",         "fsync",
                                            "linkat", "rename", "malloc", "pthread_create"};
constexpr size_t kLargeAllocation = 1 << 15;

std::atomic<long> calls[kFunctions];
int chosen = -1;
long chosen_call = 0;
char mode[16] = "";
const char* under = "/";

__attribute__((constructor)) void read_environment() {
  if (const char* text = std::getenv("STKR_FAULT_UNDER")) under = text;
  const char* fault = std::getenv("STKR_FAULT");
  if (fault == nullptr) return;
  char name[32] = "";
  if (std::sscanf(fault, "%31[^:]:%ld:%15s", name, &chosen_call, mode) != 3) _exit(99);
  for (int k = 0; k < kFunctions; ++k) {
    if (std::strcmp(name, kNames[k]) == 0) chosen = k;
  }
  if (chosen < 0) _exit(99);
}

__attribute__((destructor)) void write_counts() {
  const char* path = std::getenv("STKR_FAULT_COUNT");
  if (path == nullptr) return;
  std::FILE* out = std::fopen(path, "w");
  for (int k = 0; k < kFunctions; ++k) std::fprintf(out, "%s %ld\n", kNames[k], calls[k].load());
  std::fclose(out);
}

template <class F>
F* real(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

bool mode_is(const char* name) { return std::strcmp(mode, name) == 0; }

// Whether the fault persists: a full disk, a truncated file, no memory, no threads.
bool lasting() {
  return mode_is("enospc") || mode_is("eof") || mode_is("eagain") || mode_is("nomore");
}

bool strikes(Function function) {
  const long call = ++calls[function];
  return chosen == function && (call == chosen_call || (call > chosen_call && lasting()));
}

bool is_ours(const char* path) { return std::strncmp(path, under, std::strlen(under)) == 0; }

// Relative paths refer to the folder that a test runs in.
bool is_ours_or_relative(const char* path) { return path[0] != '/' || is_ours(path); }

bool is_ours(int descriptor) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return is_ours(path);
}

int error_of_mode() {
  if (mode_is("enospc")) return ENOSPC;
  if (mode_is("eintr")) return EINTR;
  if (mode_is("enoent")) return ENOENT;
  if (mode_is("eacces")) return EACCES;
  if (mode_is("emfile")) return EMFILE;
  return EIO;
}

// Appends to the file, as another process would.
void grow(int descriptor) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const int again = real(&open, "open")(link, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (again < 0) return;
  constexpr char kMore[] = "more of it\n";
  static_cast<void>(!real(&write, "write")(again, kMore, sizeof kMore - 1));
  real(&close, "close")(again);
}

int fail() {
  errno = error_of_mode();
  return -1;
}

template <class Next>
ssize_t faulty_write(Function function, int descriptor, size_t count, Next&& next) {
  if (!is_ours(descriptor) || !strikes(function)) return next(count);
  if (mode_is("short")) return next((count + 1) / 2);
  // A disk becomes full in the middle of a write.
  if (mode_is("enospc") && calls[function] == chosen_call && count > 1) return next(count / 2);
  return fail();
}

template <class Next>
ssize_t faulty_read(Function function, int descriptor, size_t count, Next&& next) {
  if (!is_ours(descriptor) || !strikes(function)) return next(count);
  if (mode_is("short")) return next((count + 1) / 2);
  if (mode_is("eof")) return 0;
  if (!mode_is("grow")) return fail();
  grow(descriptor);
  return next(count);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto next = real(&write, "write");
  return faulty_write(kWrite, descriptor, count,
                      [&](size_t part) { return next(descriptor, bytes, part); });
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t at) {
  static const auto next = real(&pwrite, "pwrite");
  return faulty_write(kPwrite, descriptor, count,
                      [&](size_t part) { return next(descriptor, bytes, part, at); });
}

ssize_t read(int descriptor, void* bytes, size_t count) {
  static const auto next = real(&read, "read");
  return faulty_read(kRead, descriptor, count,
                     [&](size_t part) { return next(descriptor, bytes, part); });
}

ssize_t pread(int descriptor, void* bytes, size_t count, off_t at) {
  static const auto next = real(&pread, "pread");
  return faulty_read(kPread, descriptor, count,
                     [&](size_t part) { return next(descriptor, bytes, part, at); });
}

int open(const char* path, int flags, ...) {
  static const auto next = real(&open, "open");
  va_list arguments;
  va_start(arguments, flags);
  const mode_t permissions = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  if (is_ours_or_relative(path) && strikes(kOpen)) return fail();
  return next(path, flags, permissions);
}

// Called by fortified builds.
int __open_2(const char* path, int flags) { return open(path, flags); }

std::FILE* fopen(const char* path, const char* how) {
  static const auto next = real(&fopen, "fopen");
  if (!is_ours_or_relative(path) || !strikes(kFopen)) return next(path, how);
  fail();
  return nullptr;
}

std::FILE* fopen64(const char* path, const char* how) { return fopen(path, how); }

size_t fread(void* bytes, size_t size, size_t count, std::FILE* file) {
  static const auto next = real(&fread, "fread");
  if (!is_ours(fileno(file)) || !strikes(kFread)) return next(bytes, size, count, file);
  if (mode_is("short")) return next(bytes, size, (count + 1) / 2, file);
  if (mode_is("eof")) return 0;
  file->_flags |= 0x20;  // the flag that ferror tests
  fail();
  return 0;
}

int fclose(std::FILE* file) {
  static const auto next = real(&fclose, "fclose");
  const bool struck = is_ours(fileno(file)) && strikes(kFclose);
  const int result = next(file);
  return struck ? fail() : result;
}

int close(int descriptor) {
  static const auto next = real(&close, "close");
  const bool struck = is_ours(descriptor) && strikes(kClose);
  const int result = next(descriptor);
  return struck ? fail() : result;
}

int fsync(int descriptor) {
  static const auto next = real(&fsync, "fsync");
  return is_ours(descriptor) && strikes(kFsync) ? fail() : next(descriptor);
}

int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) {
  static const auto next = real(&linkat, "linkat");
  if (is_ours_or_relative(to) && strikes(kLinkat)) return fail();
  return next(from_folder, from, to_folder, to, flags);
}

int rename(const char* from, const char* to) {
  static const auto next = real(&rename, "rename");
  return is_ours_or_relative(to) && strikes(kRename) ? fail() : next(from, to);
}

void* malloc(size_t size) {
  if (size < kLargeAllocation || !strikes(kMalloc)) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                   void* argument) {
  static const auto next = real(&pthread_create, "pthread_create");
  return strikes(kThread) ? EAGAIN : next(thread, attributes, body, argument);
}

}  // extern "C"
