#pragma once

#include <filesystem>
#include <string>

namespace stkr::detail {

// The zip comment of an archive to be sealed: a marker and sixteen digits still to be filled in.
std::string unsealed_comment();

// Fills in the digits, which are the last bytes of a file open for reading and writing. Throws
// WriteError.
void seal_file(int descriptor, const std::string& shown);

// Throws DataError unless the file ends in a marker and the checksum of everything before it.
void check_seal(const std::filesystem::path& file);

}  // namespace stkr::detail
