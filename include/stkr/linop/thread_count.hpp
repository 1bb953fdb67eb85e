#pragma once

#include <filesystem>

namespace stkr {

// How many threads a process should run: the cores that its affinity mask leaves it, no more than
// the CPU quota of its control groups (rounded up), and no more than OMP_NUM_THREADS where that is
// a number (joblib and schedulers set it). At least 1. `root` is for tests.
int default_threads(const std::filesystem::path& root = "/");

}  // namespace stkr
