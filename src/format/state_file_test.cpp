#include "format/state_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::state_file_test {
namespace {

using namespace std::chrono_literals;
using stkr::testing::TemporaryFolder;
using ::testing::HasSubstr;

Matrix random_block(Index rows, Index columns) {
  static std::mt19937 generator(7);
  Matrix block(rows, columns);
  for (Index i = 0; i < block.size(); ++i) block.data()[i] = std::ldexp(generator() + 0.5, -20);
  return block;
}

void save(StateFile& state, const std::string& name, const std::vector<Matrix>& blocks) {
  const std::vector<ConstMatrixRef> views(blocks.begin(), blocks.end());
  state.save(name, views, {});
}

class StateOfARun : public ::testing::Test {
 protected:
  StateFile open(const std::string& run = "a run") { return {folder_ / "state", run, 0s}; }
  std::string content() {
    std::ifstream in(folder_ / "state", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  TemporaryFolder folder_;
};

TEST_F(StateOfARun, FindsTheBitsInAnotherProcess) {
  const std::vector<Matrix> first{random_block(30, 4), random_block(1, 4), Matrix(0, 3)};
  const std::vector<Matrix> second{random_block(5, 5)};
  {
    StateFile state = open();
    EXPECT_FALSE(state.resumed());
    EXPECT_EQ(state.find("minres 1", {}), std::nullopt);
    save(state, "minres 1", {random_block(2, 2)});
    save(state, "minres 1", first);  // replaces it
    save(state, "system 1", second);
  }
  StateFile state = open();
  EXPECT_TRUE(state.resumed());
  EXPECT_EQ(state.find("minres 1", {}), first);
  EXPECT_EQ(state.find("system 1", {}), second);
  EXPECT_EQ(state.find("system 2", {}), std::nullopt);
  state.remove();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "state"));
}

TEST_F(StateOfARun, SavesPartsOfLargerBlocks) {
  const Matrix whole = random_block(20, 9);
  StateFile state = open();
  state.save("part", std::vector<ConstMatrixRef>{whole.middleCols(2, 3)}, {});
  EXPECT_EQ(state.find("part", {}), std::vector<Matrix>{whole.middleCols(2, 3)});
}

TEST_F(StateOfARun, SavesAndReadsBlocksInParts) {
  const std::vector<Matrix> blocks{random_block(7, 3), random_block(2, 2)};
  std::vector<StateSource> sources;
  for (const Matrix& block : blocks) {
    auto bytes = std::as_bytes(std::span(block.data(), static_cast<std::size_t>(block.size())));
    StateSource source{block.rows(), block.cols(), {}, {}};
    source.checksum.update(bytes);
    source.read = [bytes](std::span<std::byte> out) mutable {
      std::copy_n(bytes.begin(), out.size(), out.begin());
      bytes = bytes.subspan(out.size());
    };
    sources.push_back(std::move(source));
  }
  StateFile state = open();
  state.save("parts", sources);
  EXPECT_EQ(state.find("parts", {}), blocks);
  auto reader = state.reader("parts");
  ASSERT_TRUE(reader);
  for (const Matrix& block : blocks) {
    Matrix read(block.rows(), block.cols());
    for (Index i = 0; i < block.rows(); ++i) {
      reader->read(
          std::as_writable_bytes(std::span(&read(i, 0), static_cast<std::size_t>(block.cols()))));
    }
    EXPECT_EQ(read, block);
  }
  reader->check();
  auto first_only = state.reader("parts");
  ASSERT_TRUE(first_only);
  std::vector<std::byte> some(8);
  first_only->read(some);
  EXPECT_THROW(first_only->check(), DataError);
  EXPECT_FALSE(state.reader("others"));
}

TEST_F(StateOfARun, KnowsHowTheSavedRunWasComputed) {
  const auto open_with = [&](const char* way) {
    return std::make_unique<StateFile>(folder_ / "state", "a run", 0s, way);
  };
  EXPECT_EQ(open_with("one way")->way(), "one way");
  {
    auto other = open_with("another way");  // nothing was saved
    EXPECT_EQ(other->way(), "another way");
    save(*other, "x", {random_block(2, 2)});
  }
  EXPECT_EQ(open_with("one way")->way(), "another way");
  // A changed one is noticed, since the blocks may be of other columns.
  std::string text = content();
  folder_.write("state", text.replace(text.find("another way"), 7, "someone"));
  EXPECT_THROW(open_with("one way")->find("x", {}), DataError);
}

TEST_F(StateOfARun, IsNotThatOfAnother) {
  {
    StateFile state = open();
    save(state, "x", {random_block(2, 2)});
  }
  try {
    open("another run");
    FAIL() << "was accepted";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), HasSubstr("is the state of another run"));
    EXPECT_THAT(error.what(), HasSubstr("remove the file to start over"));
  }
  EXPECT_TRUE(open().resumed()) << "it still exists";
}

TEST_F(StateOfARun, EveryFlippedBitAndTruncationIsNoticed) {
  const std::vector<Matrix> blocks{random_block(3, 2)};
  {
    StateFile state = open();
    save(state, "x 1", blocks);
  }
  const std::string whole = content();
  const auto read = [&] {
    StateFile state = open();
    return state.find("x 1", {});
  };
  ASSERT_EQ(read(), blocks);
  const auto unchanged_or_noticed = [&](const std::string& text, const std::string& what) {
    folder_.write("state", text);
    try {
      const auto found = read();
      // A changed name is not found; an empty file of the same run starts again.
      EXPECT_TRUE(found == std::nullopt || found == blocks) << what;
    } catch (const DataError&) {
    }
  };
  for (std::size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    unchanged_or_noticed(flipped, "bit " + std::to_string(bit));
  }
  for (std::size_t size = 0; size < whole.size(); ++size) {
    unchanged_or_noticed(whole.substr(0, size), "length " + std::to_string(size));
  }
}

TEST_F(StateOfARun, RefusesOtherFilesAndFoldersThatAreNotThere) {
  folder_.write("table.csv", "x,y\n1,2\n");
  EXPECT_THROW(StateFile(folder_ / "table.csv", "run", 0s), DataError);
  EXPECT_THROW(StateFile(folder_ / "no/state", "run", 0s), WriteError);
  folder_.write("nested", std::string(200'000, '['));
  EXPECT_THROW(StateFile(folder_ / "nested", "run", 0s), DataError);
}

TEST_F(StateOfARun, IsDueAfterTheInterval) {
  StateFile state(folder_ / "state", "run", 1h);
  EXPECT_FALSE(state.due());
  EXPECT_TRUE(StateFile(folder_ / "other", "run", 0s).due());
}

}  // namespace
}  // namespace stkr::state_file_test
