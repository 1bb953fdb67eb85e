#include "format/atomic_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::atomic_file_test {
namespace {

using testing::content_of;
using testing::FullDisk;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

TEST(AtomicFile, ReplacesTheOldContent) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.txt", "old");
  write_atomically(path, [](FileSink& sink) {
    sink.write("new ");
    sink.write(std::string(200'000, 'x'));
    sink.write(" end");
  });
  EXPECT_EQ(content_of(path), "new " + std::string(200'000, 'x') + " end");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, KeepsTheOldFileWhenTheContentFails) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.txt", "old");
  EXPECT_THROW(write_atomically(path,
                                [](FileSink& sink) {
                                  sink.write("half");
                                  throw ValueError("no more");
                                }),
               ValueError);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.txt", "old");
  for (const std::size_t size : {1'000u, 60'000u, 300'000u}) {  // fails at close, flush, write
    const FullDisk full(512);
    const std::string message = message_of<WriteError>([&] {
      write_atomically(path, [&](FileSink& sink) { sink.write(std::string(size, 'x')); });
    });
    EXPECT_THAT(message, HasSubstr("a.txt"));
    EXPECT_THAT(message, HasSubstr("File too large"));
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, SaysThatTheFolderIsMissing) {
  const TemporaryFolder folder;
  const std::string message =
      message_of<WriteError>([&] { AtomicFile file(folder / "absent/a.txt"); });
  EXPECT_THAT(message, HasSubstr("does not exist"));
}

TEST(AtomicFile, RefusesFoldersAndDevices) {
  const TemporaryFolder folder;
  EXPECT_THROW(AtomicFile file(folder / ""), WriteError);
  EXPECT_THROW(AtomicFile file("/dev/null"), WriteError);
  EXPECT_THROW(AtomicFile file(""), WriteError);
}

TEST(AtomicFile, IsNotMadeOfWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_stream("/dev/null"));
  EXPECT_TRUE(is_stream("/dev/stdout"));
  EXPECT_FALSE(is_stream(folder.write("a.txt", "old")));
  EXPECT_FALSE(is_stream(folder / "absent.txt"));
  EXPECT_FALSE(is_stream(folder / ""));
  write_atomically("/dev/null", [](FileSink& sink) { sink.write("gone"); });
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  // An open file is appended to, not replaced.
  const auto path = folder.write("b.txt", "");
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  ASSERT_EQ(::write(descriptor, "one ", 4), 4);
  write_atomically("/dev/fd/" + std::to_string(descriptor),
                   [](FileSink& sink) { sink.write("two"); });
  ::close(descriptor);
  EXPECT_EQ(content_of(path), "one two");
  EXPECT_THROW(write_atomically("/dev/full", [](FileSink& sink) { sink.write("x"); }), WriteError);
}

TEST(AtomicFile, ReportsTheFailureOfEveryWrite) {
  FileSink sink("/dev/full", "shown.txt");
  sink.write("buffered: not yet an error");
  const std::string message = message_of<WriteError>([&] { sink.close(); });
  EXPECT_THAT(message, HasSubstr("shown.txt"));
  EXPECT_THAT(message, HasSubstr("No space left"));
}

TEST(AtomicFile, WritesThroughASymbolicLink) {
  const TemporaryFolder folder;
  const auto path = folder.write("real.txt", "old");
  std::filesystem::create_symlink(path, folder / "link.txt");
  write_atomically(folder / "link.txt", [](FileSink& sink) { sink.write("new"); });
  EXPECT_EQ(content_of(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.txt"));
}

TEST(AtomicFile, KeepsThePermissionsOfTheFileItReplaces) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.txt", "old");
  std::filesystem::permissions(path, std::filesystem::perms::owner_read);
  write_atomically(path, [](FileSink& sink) { sink.write("new"); });
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_read);
}

}  // namespace
}  // namespace stkr::atomic_file_test
