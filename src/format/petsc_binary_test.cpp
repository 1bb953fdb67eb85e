#include "format/petsc_binary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::petsc_binary_test {
namespace {

using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

std::string big_endian(std::uint64_t bits, int bytes) {
  std::string text;
  for (int k = bytes - 1; k >= 0; --k) text += static_cast<char>(bits >> 8 * k & 0xff);
  return text;
}

// 3 × 4 with 4 entries, as MatView writes it.
struct Content {
  int width = 8;
  std::vector<std::int64_t> head = {1211216, 3, 4, 4}, lengths = {2, 0, 2}, columns = {3, 1, 0, 3};
  std::vector<double> values = {1.5, -2.0, 1e300, 0.25};

  std::string bytes() const {
    std::string text;
    for (const auto* part : {&head, &lengths, &columns}) {
      for (const std::int64_t value : *part) {
        text += big_endian(static_cast<std::uint64_t>(value), width);
      }
    }
    for (const double value : values) text += big_endian(std::bit_cast<std::uint64_t>(value), 8);
    return text;
  }
};

TEST(PetscBinary, AnyRowsAreReadFromWhereTheyAre) {
  const TemporaryFolder folder;
  for (const int width : {4, 8}) {
    Content content;
    content.width = width;
    const std::string bytes = content.bytes();
    EXPECT_TRUE(PetscBinary::starts(bytes));
    PetscBinary file(folder.write("a.petsc", bytes));
    EXPECT_EQ(file.rows(), 3);
    EXPECT_EQ(file.cols(), 4);
    EXPECT_EQ(file.entries(), 4);
    EXPECT_EQ(file.entries_before(2), 2);
    const CsrMatrix all = file.rows(0, 3), last = file.rows(2, 1), none = file.rows(1, 1);
    EXPECT_EQ(all.row_start, (std::vector<std::int64_t>{0, 2, 2, 4}));
    EXPECT_EQ(all.column, (std::vector<std::int32_t>{3, 1, 0, 3}));
    EXPECT_EQ(all.value, content.values);
    EXPECT_EQ(last.column, (std::vector<std::int32_t>{0, 3}));
    EXPECT_EQ(last.value, (std::vector<double>{1e300, 0.25}));
    EXPECT_EQ(none.entries(), 0);
  }
  EXPECT_FALSE(PetscBinary::starts("PK"));
  EXPECT_FALSE(PetscBinary::starts(""));
}

// More rows than are read at a time.
TEST(PetscBinary, HasManyRows) {
  const TemporaryFolder folder;
  Content content;
  constexpr Index kRows = 200'000;
  content.head = {1211216, kRows, kRows, kRows / 2};
  content.lengths.clear();
  content.columns.clear();
  content.values.clear();
  for (Index i = 0; i < kRows; ++i) {
    content.lengths.push_back(i % 2);
    if (i % 2 == 0) continue;
    content.columns.push_back(kRows - i);
    content.values.push_back(static_cast<double>(i));
  }
  PetscBinary file(folder.write("a.petsc", content.bytes()));
  for (const Index first : {0, 1, 65'535, 65'536, 131'073, 199'998}) {
    EXPECT_EQ(file.entries_before(first), first / 2);
    const Index count = std::min<Index>(kRows - first, 70'001);
    const CsrMatrix rows = file.rows(first, count);
    for (Index i = 0; i < count; ++i) {
      const std::int64_t at = rows.row_start[static_cast<std::size_t>(i)];
      ASSERT_EQ(at, (first + i) / 2 - first / 2);
      if ((first + i) % 2 == 0) continue;
      ASSERT_EQ(rows.column[static_cast<std::size_t>(at)], kRows - first - i);
      ASSERT_EQ(rows.value[static_cast<std::size_t>(at)], static_cast<double>(first + i));
    }
  }
}

TEST(PetscBinary, RefusesDamagedFiles) {
  const TemporaryFolder folder;
  const auto refusal = [&](auto&& change) {
    Content content;
    change(content);
    const std::filesystem::path path = folder.write("a.petsc", content.bytes());
    return message_of<DataError>([&] {
      PetscBinary file(path);
      file.rows(0, file.rows());
    });
  };
  EXPECT_EQ(refusal([](Content&) {}), "");
  EXPECT_THAT(refusal([](Content& c) { c.values.pop_back(); }), HasSubstr("truncated or damaged"));
  EXPECT_THAT(refusal([](Content& c) { c.values.resize(8); }), HasSubstr("complex numbers"));
  EXPECT_THAT(refusal([](Content& c) { c.columns[1] = 4; }),
              HasSubstr("column index 4 at entry 1 is out of range"));
  EXPECT_THAT(refusal([](Content& c) { c.columns[1] = -1; }), HasSubstr("out of range"));
  EXPECT_THAT(refusal([](Content& c) { c.lengths[1] = 3; }), HasSubstr("has a row of 3 entries"));
  EXPECT_THAT(refusal([](Content& c) { c.lengths[2] = 1; }), HasSubstr("its rows have 3 entries"));
  EXPECT_THAT(refusal([](Content& c) { c.head[3] = -1; }), HasSubstr("a dense matrix"));
  EXPECT_THAT(refusal([](Content& c) { c.head[1] = -3; }), HasSubstr("32-bit indices"));
  EXPECT_THAT(refusal([](Content& c) { c.head[0] = 1211214; }), HasSubstr("does not start like"));
  EXPECT_THAT(message_of<DataError>([&] { PetscBinary(folder.write("b", "abc")); }),
              HasSubstr("too short"));
  EXPECT_THAT(message_of<DataError>([&] { PetscBinary(folder / "absent"); }),
              HasSubstr("cannot be opened"));
}

}  // namespace
}  // namespace stkr::petsc_binary_test
