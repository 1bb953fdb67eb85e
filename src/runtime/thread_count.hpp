#pragma once

#include <filesystem>

namespace stkr {

// The number of threads that a process should run: the cores in its affinity mask, at most the CPU
// quota of its control groups (rounded up), and at most OMP_NUM_THREADS if that is a number (joblib
// and schedulers set it). At least 1. Tests replace `root`.
int default_threads(const std::filesystem::path& root = "/");

}  // namespace stkr
