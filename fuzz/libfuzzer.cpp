// libFuzzer's entry points, for the target named in STKR_FUZZ_TARGET.

#include <cstdio>
#include <cstdlib>

#include "mutators.hpp"
#include "target.hpp"

namespace {

const stkr::fuzz::Target* chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("STKR_FUZZ_TARGET");
  chosen = stkr::fuzz::find_target(name != nullptr ? name : "");
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "set STKR_FUZZ_TARGET to one of:");
  for (const auto& target : stkr::fuzz::all_targets()) {
    std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
  }
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  chosen->run({data, size});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  if (chosen->mutate == nullptr) return LLVMFuzzerMutate(data, size, most);
  return chosen->mutate(data, size, most, seed);
}
