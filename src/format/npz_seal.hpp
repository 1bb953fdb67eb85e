#pragma once

#include <filesystem>
#include <string>

namespace stkr::detail {

// The zip comment of an archive to be sealed: a marker and sixteen placeholder digits.
std::string unsealed_comment();

// Fills in the digits, which are the last bytes of a file open for reading and writing. Throws
// WriteError on failure.
void seal_file(int descriptor, const std::string& shown);

// Throws DataError unless the file ends with the marker and the checksum of all preceding bytes.
void check_seal(const std::filesystem::path& file);

}  // namespace stkr::detail
