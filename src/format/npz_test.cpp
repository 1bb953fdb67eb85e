#include "format/npz.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::npz_test {
namespace {

using testing::content_of;
using ::testing::ElementsAre;
using testing::FullDisk;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

struct Content {
  Matrix points = Matrix::Random(5, 3);
  std::vector<float> floats = {1.5f, -2.0f};
  std::vector<std::int32_t> codes = {1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> big = {1LL << 60};
  std::vector<std::uint8_t> pixels = {0, 255};
  std::vector<std::string> names = {"é", "b"};

  NpzWriter writer() const {
    NpzWriter result;
    result.add("X", points);
    result.add("floats", std::span(floats));
    result.add("codes", std::span(codes), {1, 2, 3});
    result.add("big", std::span(big), {});
    result.add("pixels", std::span(pixels));
    result.add_strings("names", names);
    result.add_text("meta.json", "{\"version\": 1}");
    return result;
  }
};

// Code that would refer to a destroyed reader does not compile.
template <class Reader>
concept GivesReferences = requires(Reader&& reader) {
  std::forward<Reader>(reader).members();
}
|| requires(Reader&& reader) { std::forward<Reader>(reader).shown_path(); }
|| requires(Reader&& reader) { std::forward<Reader>(reader).header("X"); }
|| requires(Reader&& reader) { std::forward<Reader>(reader).array("X"); };
static_assert(GivesReferences<const NpzReader&>);
static_assert(!GivesReferences<NpzReader>);

TEST(Npz, ReadsWhatItWrites) {
  const TemporaryFolder folder;
  const Content content;
  for (const bool deflate : {false, true}) {
    for (const bool seal : {false, true}) {
      content.writer().write(folder / "a.npz", {.deflate = deflate, .seal = seal});
      const NpzReader reader(folder / "a.npz", seal ? Seal::required : Seal::ignored);
      EXPECT_EQ(reader.members().size(), 7u);
      EXPECT_EQ(reader.array("X").as_matrix(), content.points);
      EXPECT_EQ(reader.array("floats").as_float_matrix()(1, 0), -2.0f);
      EXPECT_THAT(reader.header("codes").shape, ElementsAre(1, 2, 3));
      EXPECT_THAT(reader.array("codes").as_integers(), ElementsAre(1, 2, 3, 4, 5, 6));
      EXPECT_THAT(reader.array("big").as_integers(), ElementsAre(1LL << 60));
      EXPECT_THAT(reader.array("pixels").as_integers(), ElementsAre(0, 255));
      EXPECT_THAT(reader.array("names").as_strings(), ElementsAre("é", "b"));
      EXPECT_EQ(reader.text("meta.json"), "{\"version\": 1}");
      EXPECT_TRUE(reader.has("meta.json"));
      EXPECT_FALSE(reader.has_array("meta.json"));
      EXPECT_EQ(folder.file_count(), 1u);
    }
  }
}

TEST(Npz, ReadsSeveralArraysAlternately) {
  const TemporaryFolder folder;
  std::vector<std::int32_t> up(100'000), down(100'000);
  for (std::int32_t i = 0; i < 100'000; ++i) up[i] = i, down[i] = -i;
  NpzWriter writer;
  writer.add("up", up);
  writer.add("down", down);
  for (const bool deflate : {false, true}) {
    writer.write(folder / "a.npz", {.deflate = deflate});
    const NpzReader reader(folder / "a.npz");
    NpyArray a = reader.array("up"), b = reader.array("down");
    std::vector<std::int32_t> x(10'000), y(10'000);
    for (std::int32_t part = 0; part < 10; ++part) {
      a.read(std::span(x));
      b.read(std::span(y));
      EXPECT_EQ(x.front(), part * 10'000);
      EXPECT_EQ(y.back(), -(part * 10'000 + 9'999));
    }
  }
}

TEST(Npz, ReadsTheMiddleOfAnArray) {
  const TemporaryFolder folder;
  std::vector<double> values(70'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  for (const bool deflate : {false, true}) {
    NpzWriter writer;
    writer.add("x", values);
    writer.write(folder / "a.npz", {.deflate = deflate});
    const NpzReader reader(folder / "a.npz");
    for (const Index skipped : {Index{0}, Index{1}, Index{50'000}, Index{69'998}}) {
      NpyArray array = reader.array("x");
      array.skip(skipped);
      std::vector<double> part(2);
      array.read(std::span(part));
      EXPECT_THAT(part, ElementsAre(skipped, skipped + 1));
    }
    NpyArray array = reader.array("x");
    EXPECT_THAT(message_of<DataError>([&] { array.skip(70'001); }), HasSubstr("70000 values"));
  }
}

TEST(Npz, WritesArraysThatComeInParts) {
  const TemporaryFolder folder;
  const Content content;
  NpzWriter whole, parts;
  whole.add("X", content.points);
  whole.add_text("meta.json", "{}");
  const std::span bytes = std::as_bytes(
      std::span(content.points.data(), static_cast<std::size_t>(content.points.size())));
  std::size_t done = 0;
  parts.add_stream("X", npy_descr<double>(), {5, 3}, [&](std::span<std::byte> next) {
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(done), next.size(), next.begin());
    done += next.size();
  });
  parts.add_text("meta.json", "{}");
  whole.write(folder / "whole.npz", {.seal = true});
  parts.write(folder / "parts.npz", {.seal = true});
  EXPECT_EQ(content_of(folder / "parts.npz"), content_of(folder / "whole.npz"));
  EXPECT_EQ(parts.data_bytes(), whole.data_bytes());
  // A part that fails leaves no file.
  NpzWriter failing;
  failing.add_stream("X", npy_descr<double>(), {5, 3},
                     [](std::span<std::byte>) { throw DataError("no more"); });
  EXPECT_EQ(message_of<DataError>([&] { failing.write(folder / "new.npz"); }), "no more");
  EXPECT_FALSE(std::filesystem::exists(folder / "new.npz"));
}

TEST(Npz, WritesEqualBytesForEqualContent) {
  const TemporaryFolder folder;
  const Content content;
  content.writer().write(folder / "a.npz", {.deflate = true, .seal = true});
  content.writer().write(folder / "b.npz", {.deflate = true, .seal = true});
  EXPECT_EQ(content_of(folder / "a.npz"), content_of(folder / "b.npz"));
}

TEST(Npz, ReadsAnArchiveInMemory) {
  const TemporaryFolder folder;
  const Content content;
  content.writer().write(folder / "a.npz");
  const std::string bytes = content_of(folder / "a.npz");
  const NpzReader reader(std::as_bytes(std::span(bytes)), "inside");
  EXPECT_EQ(reader.array("X").as_matrix(), content.points);
  EXPECT_THROW(NpzReader(std::as_bytes(std::span(bytes)).first(bytes.size() / 2), "half"),
               DataError);
}

TEST(Npz, NamesTheMembersThereAreWhenOneIsMissing) {
  const TemporaryFolder folder;
  Content().writer().write(folder / "a.npz");
  const NpzReader reader(folder / "a.npz");
  const std::string message = message_of<DataError>([&] { reader.array("labels"); });
  EXPECT_THAT(message, HasSubstr("no array labels"));
  EXPECT_THAT(message, HasSubstr("floats"));
  EXPECT_THROW(reader.array("meta.json"), DataError);
}

std::string small_sealed_file(const TemporaryFolder& folder, bool deflate) {
  const std::vector<std::int32_t> values = {1, 2, 3};
  NpzWriter writer;
  writer.add("v", std::span(values));
  writer.add_text("m.json", "{}");
  writer.write(folder / "sealed.npz", {.deflate = deflate, .seal = true});
  return content_of(folder / "sealed.npz");
}

void read_all(const NpzReader& reader) {
  for (const NpzMember& member : reader.members()) {
    if (reader.has_array(member.name)) {
      reader.array(member.name).as_strings();
    } else {
      reader.text(member.name);
    }
  }
}

TEST(Npz, NoticesAnyChangedByteOfASealedFile) {
  const TemporaryFolder folder;
  for (const bool deflate : {false, true}) {
    const std::string whole = small_sealed_file(folder, deflate);
    read_all(NpzReader(folder.write("same.npz", whole), Seal::required));
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (const int flip : {0x01, 0x20, 0x80, 0xff}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ flip);
        const auto path = folder.write("changed.npz", changed);
        EXPECT_THROW(NpzReader(path, Seal::required), DataError) << i;
        // Without the seal a change may go undetected, but must not crash.
        message_of<DataError>([&] { read_all(NpzReader(path)); });
      }
    }
  }
}

TEST(Npz, NoticesAnyTruncationOfASealedFile) {
  const TemporaryFolder folder;
  const std::string whole = small_sealed_file(folder, false);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto path = folder.write("short.npz", whole.substr(0, length));
    EXPECT_THROW(NpzReader(path, Seal::required), DataError) << length;
    message_of<DataError>([&] { read_all(NpzReader(path)); });
  }
  EXPECT_THROW(NpzReader(folder.write("long.npz", whole + "x"), Seal::required), DataError);
}

TEST(Npz, MissesTheSealOfAnUnsealedFile) {
  const TemporaryFolder folder;
  Content().writer().write(folder / "a.npz");
  EXPECT_THAT(message_of<DataError>([&] { NpzReader(folder / "a.npz", Seal::required); }),
              HasSubstr("not written by stkr"));
}

// Long arrays that are not compressed are read by several threads.
TEST(Npz, ReadsLongArraysInParts) {
  const TemporaryFolder folder;
  NpzWriter writer;
  const MatrixF floats = MatrixF::Random(1'500'001, 2);
  const Matrix doubles = Matrix::Random(1'200'000, 1);
  writer.add("floats", std::span(floats.data(), static_cast<std::size_t>(floats.size())),
             {floats.rows(), floats.cols()});
  writer.add("doubles", doubles);
  writer.write(folder / "long.npz", {.deflate = false, .seal = true});
  const NpzReader reader(folder / "long.npz", Seal::required);
  EXPECT_EQ(reader.array("floats").as_float_matrix(), floats);
  EXPECT_EQ(reader.array("floats").as_matrix(), floats.cast<double>());
  EXPECT_EQ(reader.array("doubles").as_matrix(), doubles);
  // Damage in any part is noticed.
  const std::string good = content_of(folder / "long.npz");
  for (const std::size_t at : {std::size_t{200}, good.size() / 5, good.size() / 2}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 1);
    std::ofstream(folder / "bad.npz", std::ios::binary) << bad;
    const NpzReader damaged(folder / "bad.npz");
    EXPECT_THAT(message_of<DataError>([&] {
                  damaged.array("floats").as_matrix();
                  damaged.array("doubles").as_matrix();
                }),
                HasSubstr("damaged"))
        << at;
  }
}

TEST(Npz, NoticesDamagedDataByItsCrc) {
  const TemporaryFolder folder;
  std::string whole = small_sealed_file(folder, false);
  const std::size_t data = whole.find(std::string_view("\1\0\0\0\2\0\0\0", 8));
  ASSERT_NE(data, std::string::npos);
  whole[data] = 9;
  const NpzReader reader(folder.write("crc.npz", whole));
  EXPECT_THAT(message_of<DataError>([&] { reader.array("v").as_integers(); }), HasSubstr("CRC"));
}

TEST(Npz, TellsForeignAndEmptyFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT(message_of<DataError>([&] { NpzReader(folder.write("a.npz", "")); }),
              HasSubstr("is empty"));
  EXPECT_THAT(message_of<DataError>([&] { NpzReader(folder.write("b.npz", "x,y\n1,2\n")); }),
              HasSubstr("not an .npz archive"));
  EXPECT_THAT(message_of<DataError>([&] { NpzReader(folder / "absent.npz"); }),
              HasSubstr("cannot be opened"));
}

TEST(Npz, LeavesNothingBehindWhenTheDiskIsFull) {
  const TemporaryFolder folder;
  const auto path = folder.write("a.npz", "old");
  const Matrix points = Matrix::Random(200, 100);
  NpzWriter writer;
  writer.add("X", points);
  for (const bool seal : {false, true}) {
    const FullDisk full(5'000);
    EXPECT_THROW(writer.write(path, {.deflate = true, .seal = seal}), WriteError);
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Npz, RefusesAPickleOnlyWhenItIsAskedFor) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> codes = {1, 2};
  const std::array<Index, 1> shape = {1};
  NpzWriter writer;
  writer.add("codes", codes);
  writer.add_text("names.npy", npy_header_text("|O", shape) + "pickle");
  writer.write(folder / "a.npz");
  const NpzReader reader(folder / "a.npz");
  EXPECT_THAT(reader.array("codes").as_integers(), ElementsAre(1, 2));
  EXPECT_THAT(message_of<DataError>([&] { reader.array("names"); }), HasSubstr("pickle"));
}

// An archive of a few megabytes may contain thousands of headers of a megabyte each; they are not
// read.
TEST(Npz, DoesNotReadEndlessHeaders) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> codes = {1, 2};
  std::string head("\x93NUMPY\x02\x00\x00\x00\x10\x00", 12);  // 2²⁰ bytes of header
  head += "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }";
  head.append((1 << 20) + 12 - head.size(), ' ');
  NpzWriter writer;
  writer.add("codes", codes);
  writer.add_text("long.npy", head);
  writer.write(folder / "a.npz", {.deflate = true});
  const NpzReader reader(folder / "a.npz");
  EXPECT_THAT(reader.array("codes").as_integers(), ElementsAre(1, 2));
  EXPECT_THAT(message_of<DataError>([&] { reader.array("long"); }),
              HasSubstr("a header of 1048576 bytes, expected at most 10000"));
}

TEST(Npz, RefusesNamesThatOccurTwice) {
  const TemporaryFolder folder;
  NpzWriter writer;
  writer.add_text("a", "1");
  writer.add_text("b", "2");
  writer.write(folder / "a.npz");
  std::string bytes = content_of(folder / "a.npz");
  for (std::size_t at = 0; (at = bytes.find("b", at)) != std::string::npos; ++at) bytes[at] = 'a';
  EXPECT_THAT(message_of<DataError>([&] { NpzReader(folder.write("b.npz", bytes)); }),
              HasSubstr("contains a twice"));
}

TEST(Npz, RefusesAShapeThatDoesNotFit) {
  const std::vector<double> values = {1, 2, 3};
  NpzWriter writer;
  EXPECT_THROW(writer.add("X", std::span(values), {2, 2}), ShapeError);
  const TemporaryFolder folder;
  EXPECT_THROW(writer.write(folder / "a.npz"), ValueError);
}

}  // namespace
}  // namespace stkr::npz_test
