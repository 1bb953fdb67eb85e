#include <fmt/format.h>
#include <fmt/ranges.h>

#include "parsed.hpp"
#include "stkr/dataset/load_dataset.hpp"
#include "stkr/error.hpp"

// Defined in shipped_data.S.
extern "C" {
extern const std::byte stkr_shipped_karate_begin[];
extern const std::byte stkr_shipped_karate_end[];
extern const std::byte stkr_shipped_digits_begin[];
extern const std::byte stkr_shipped_digits_end[];
}

namespace stkr {
namespace {

std::span<const std::byte> bytes_of(std::string_view name) {
  if (name == "karate") return {stkr_shipped_karate_begin, stkr_shipped_karate_end};
  return {stkr_shipped_digits_begin, stkr_shipped_digits_end};
}

}  // namespace

std::vector<ShippedInfo> shipped_datasets() {
  return {
      {.name = "karate",
       .kind = DatasetKind::graph,
       .samples = 34,
       .features = 0,
       .entries = 156,
       .classes = 2,
       .description = "friendships in a karate club, and which of two clubs each member joined",
       .source = "W. W. Zachary, An information flow model for conflict and fission in small "
                 "groups, Journal of Anthropological Research 33 (1977)",
       .license = "facts published in 1977; no license is claimed"},
      {.name = "digits",
       .kind = DatasetKind::points,
       .samples = 1797,
       .features = 64,
       .entries = 0,
       .classes = 10,
       .description = "handwritten digits, 8 × 8 gray values from 0 to 16",
       .source = "E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits (test "
                 "part), UCI Machine Learning Repository (1998), doi:10.24432/C50P49",
       .license = "CC BY 4.0"},
  };
}

Dataset load_shipped(std::string_view name, const LoadOptions& options) {
  std::vector<std::string> names;
  for (const ShippedInfo& info : shipped_datasets()) {
    names.push_back(info.name);
    if (info.name != name) continue;
    const NpzReader reader(bytes_of(name), info.name);
    Dataset dataset =
        detail::assemble(detail::parse_npz(reader, options), options, info.name, info.name);
    dataset.source = info.source;
    return dataset;
  }
  throw DataError(fmt::format("no data set '{}' is shipped with stkr; available: {}", name,
                              fmt::join(names, ", ")));
}

}  // namespace stkr
