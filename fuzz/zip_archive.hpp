#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stkr::fuzz {

// A zip archive as uncompressed members, so that it can be changed and written with correct
// checksums.
struct ZipArchive {
  struct Member {
    std::string name;
    std::string content;
  };
  std::vector<Member> members;
  bool sealed = false;  // ends with stkr's checksum
};

// Returns nullopt if the archive is incomplete or a member is compressed.
std::optional<ZipArchive> parse_zip(std::string_view bytes);
std::string write_zip(const ZipArchive& archive);

}  // namespace stkr::fuzz
