#include "device_memory.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "cuda_block.hpp"
#include "stkr/error.hpp"

namespace stkr::cuda {
namespace {

class DeviceMemory : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no device";
  }

  // Bytes of the whole card, so that tests that run beside this one do not matter.
  static std::size_t whole_card() {
    std::size_t free = 0, total = 0;
    check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return total;
  }
};

// The command ends with exit code 5 then.
TEST_F(DeviceMemory, ThatIsExhaustedIsAMemoryError) {
  const std::size_t doubles = whole_card() / sizeof(double) + 1;
  EXPECT_THROW(DeviceArray<double>{doubles}, MemoryError);
  EXPECT_THROW(CudaBlock(static_cast<Index>(doubles / 8), 8), MemoryError);
  try {
    DeviceArray<double> array(doubles);
  } catch (const MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("--device cpu"), std::string::npos) << error.what();
  }
}

TEST_F(DeviceMemory, CanBeUsedAfterItWasExhausted) {
  EXPECT_THROW(DeviceArray<char>{2 * whole_card()}, MemoryError);
  EXPECT_NO_THROW(check_launch("a later kernel"));
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 7);
  const DeviceArray<int> copy{std::span<const int>(numbers)};
  EXPECT_EQ(copy.download(), numbers);
}

TEST_F(DeviceMemory, ReleasedToThePoolIsFree) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  { const DeviceArray<char> array(kBytes); }
  EXPECT_GE(free_bytes(), kBytes);
}

}  // namespace
}  // namespace stkr::cuda
