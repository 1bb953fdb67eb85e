#include "temporary_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::detail::temporary_file_test {
namespace {

using stkr::testing::content_of;
using stkr::testing::message_of;
using stkr::testing::TemporaryFolder;
using ::testing::HasSubstr;
using Name = TemporaryFile::Name;

void write(const TemporaryFile& file, std::string_view text) {
  ASSERT_EQ(::write(file.descriptor(), text.data(), text.size()),
            static_cast<ssize_t>(text.size()));
}

unsigned permissions_of(int descriptor) {
  struct stat found = {};
  ::fstat(descriptor, &found);
  return found.st_mode & 0777;
}

// A process that is killed while it writes.
void kill_while_writing(const std::filesystem::path& target, Name name) {
  const pid_t child = ::fork();
  if (child == 0) {
    const TemporaryFile file(target, std::nullopt, "shown", name);
    if (::write(file.descriptor(), "half", 4) != 4) ::_exit(1);
    ::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
}

class TemporaryFiles : public ::testing::TestWithParam<Name> {};
INSTANTIATE_TEST_SUITE_P(NamedAndNot, TemporaryFiles,
                         ::testing::Values(Name::none_where_possible, Name::always));

TEST_P(TemporaryFiles, TakesThePlaceOfTheTarget) {
  const TemporaryFolder folder;
  for (int round = 0; round < 2; ++round) {  // without and with an existing file
    TemporaryFile file(folder / "a.txt", std::nullopt, "shown", GetParam());
    write(file, std::to_string(round));
    file.take_place();
    EXPECT_EQ(content_of(folder / "a.txt"), std::to_string(round));
    EXPECT_EQ(folder.file_count(), 1u);
  }
}

TEST_P(TemporaryFiles, LeavesNothingBehind) {
  const TemporaryFolder folder;
  folder.write("a.txt", "old");
  {
    const TemporaryFile file(folder / "a.txt", 0644, "shown", GetParam());
    write(file, "new");
  }
  EXPECT_EQ(content_of(folder / "a.txt"), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST_P(TemporaryFiles, HasThePermissionsOfTheTargetFromTheStart) {
  const TemporaryFolder folder;
  const ::mode_t before = ::umask(0022);
  EXPECT_EQ(permissions_of(TemporaryFile(folder / "a", 0600, "shown", GetParam()).descriptor()),
            0600u);
  EXPECT_EQ(permissions_of(TemporaryFile(folder / "a", 0666, "shown", GetParam()).descriptor()),
            0666u);
  EXPECT_EQ(
      permissions_of(TemporaryFile(folder / "a", std::nullopt, "shown", GetParam()).descriptor()),
      0644u);
  EXPECT_EQ(::umask(before), 0022u);
}

TEST_P(TemporaryFiles, SaysThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<WriteError>([&] {
                const TemporaryFile file(folder / "absent/a", std::nullopt, "shown", GetParam());
              }),
              HasSubstr("does not exist"));
}

TEST(TemporaryFile, HasNoNameToStayBehindUnder) {
  const TemporaryFolder folder;
  const TemporaryFile file(folder / "a.txt", std::nullopt, "shown");
  if (folder.file_count() > 0) GTEST_SKIP() << "this file system has no unnamed files";
  kill_while_writing(folder / "a.txt", Name::none_where_possible);
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(TemporaryFile, IsRemovedByTheNextRunWhereItStayedBehind) {
  const TemporaryFolder folder;
  kill_while_writing(folder / "a.txt", Name::always);
  ASSERT_EQ(folder.file_count(), 1u);
  folder.write(".a.txt.0123abcd.tmp", "of an older stkr");
  folder.write(".a.txt.0123abcd.tmp.Xy12Zq", "of libzip");
  // Files of other targets, and one that is being written:
  folder.write(".b.txt.0123abcd.tmp", "");
  folder.write(".a.txt.0123abcd.tmp.bak", "");
  folder.write(".a.txt.tmp", "");
  folder.write(".a.txt.0123abcx.tmp", "");
  folder.write("a.txt", "");
  const TemporaryFile written(folder / "a.txt", std::nullopt, "shown", Name::always);
  remove_stale_files(folder / "a.txt");
  EXPECT_EQ(folder.file_count(), 6u);
  EXPECT_FALSE(std::filesystem::exists(folder / ".a.txt.0123abcd.tmp"));
  EXPECT_FALSE(std::filesystem::exists(folder / ".a.txt.0123abcd.tmp.Xy12Zq"));
}

}  // namespace
}  // namespace stkr::detail::temporary_file_test
