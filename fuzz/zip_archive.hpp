#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stkr::fuzz {

// A zip archive as plain members, so that a changed one can be written with right checksums.
struct ZipArchive {
  struct Member {
    std::string name;
    std::string content;
  };
  std::vector<Member> members;
  bool sealed = false;  // ends in stkr's checksum
};

// Nothing where it is not whole, or where a member is compressed.
std::optional<ZipArchive> parse_zip(std::string_view bytes);
std::string write_zip(const ZipArchive& archive);

}  // namespace stkr::fuzz
