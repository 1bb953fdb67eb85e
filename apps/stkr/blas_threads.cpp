#include "blas_threads.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/memory.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"

// Defined by OpenBLAS; absent in other libraries.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int);
__attribute__((weak)) void blas_memory_free(void*);
}

namespace stkr::app {

namespace {

// The size in OpenBLAS 0.3 for x86-64; other machines have smaller buffers.
constexpr std::size_t kBlasBuffer = std::size_t{128} << 20;

bool address_space_is_limited() {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

bool has_room_for(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room != MAP_FAILED && ::munmap(room, bytes) == 0;
}

}  // namespace

void keep_blas_serial(char** argv) {
  constexpr const char* kVariable = "OPENBLAS_NUM_THREADS";
  if (!address_space_is_limited()) return;
  const char* const now = std::getenv(kVariable);
  if (now != nullptr && std::string_view(now) == "1") return;
  if (::setenv(kVariable, "1", 1) != 0) return;
  ::execv("/proc/self/exe", argv);  // returns only on failure
}

int reserve_blas_buffers(int threads) {
  // Passes that no caller names threads for use as many as OpenMP would.
  if (threads > 0) ::setenv("OMP_NUM_THREADS", std::to_string(threads).c_str(), 1);
  if (!address_space_is_limited() || !blas_memory_alloc || !blas_memory_free) return threads;
  const int wanted = resolve_threads(threads);
  std::vector<void*> buffers;
  while (static_cast<int>(buffers.size()) < wanted && has_room_for(kBlasBuffer)) {
    buffers.push_back(blas_memory_alloc(0));
  }
  for (void* buffer : buffers) blas_memory_free(buffer);  // stays mapped for the next caller
  if (buffers.empty()) {
    throw MemoryError(
        fmt::format("linear algebra needs {} of address space, but less is available; raise "
                    "ulimit -v, the memory limit of this process",
                    format_bytes(kBlasBuffer)));
  }
  return static_cast<int>(buffers.size());
}

}  // namespace stkr::app
