#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stkr {

// Bytes that this process may still allocate: the memory that Linux reports as available, or less
// if its control groups (version 1 or 2) or its address space (ulimit -v) leave less. Tests replace
// `root`.
std::uint64_t available_memory(const std::filesystem::path& root = "/");

// Parses "4GB", "512 MiB", "2e9" (bytes) or "80%" of `available`. kB, MB, GB and TB are powers of
// 1000; KiB and so on are powers of 1024. Throws ValueError for anything else, for 0, and for more
// than 100%.
std::uint64_t parse_memory(std::string_view text, std::uint64_t available);

// "512 bytes", "1.50 MB", "23.4 GB": three digits, powers of 1000.
std::string format_bytes(std::uint64_t bytes);

}  // namespace stkr
