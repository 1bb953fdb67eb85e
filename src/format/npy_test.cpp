#include "format/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "stkr/error.hpp"
#include "temporary_folder.hpp"

namespace stkr::npy_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::message_of;
using testing::TemporaryFolder;

// A .npy image, byte by byte as numpy.save writes it.
std::string image(std::string_view dictionary, std::string_view data, int version = 1) {
  std::string header(dictionary);
  const std::size_t fixed = version == 1 ? 10 : 12;
  while ((fixed + header.size() + 1) % 64 != 0) header.push_back(' ');
  header.push_back('\n');
  std::string result("\x93NUMPY", 6);
  result += {static_cast<char>(version), '\0', static_cast<char>(header.size() & 0xff),
             static_cast<char>(header.size() >> 8)};
  if (version > 1) result += std::string(2, '\0');
  return result + header + std::string(data);
}

std::string dictionary(std::string_view descr, std::string_view shape,
                       std::string_view fortran = "False") {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + std::string(fortran) +
         ", 'shape': " + std::string(shape) + ", }";
}

NpyArray parse(const std::string& bytes) { return open_npy(bytes, "a.npy"); }

std::string refusal(const std::string& bytes) {
  return message_of<DataError>([&] { parse(bytes); });
}

std::string_view raw(const auto& literal) { return {literal, sizeof(literal) - 1}; }

TEST(Npy, ReadsBigEndianFortranOrder) {
  const std::string bytes = image(dictionary(">i2", "(2, 3)", "True"),
                                  raw("\x00\x01\x00\x04\x00\x02\x00\x05\x00\x03\x00\x06"));
  EXPECT_THAT(parse(bytes).as_integers(), ElementsAre(1, 2, 3, 4, 5, 6));
  const Matrix expected = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  EXPECT_EQ(parse(bytes).as_matrix(), expected);
  NpyArray by_rows = parse(bytes);
  EXPECT_EQ(by_rows.next_rows(1), expected.topRows(1));
  EXPECT_EQ(by_rows.next_rows(9), expected.bottomRows(1));
  EXPECT_EQ(by_rows.next_rows(9).rows(), 0);
}

TEST(Npy, ReadsUnicodeAndBytes) {
  const std::string unicode =
      image(dictionary("<U3", "(2,)"),
            raw("\x61\0\0\0\0\0\0\0\0\0\0\0\xfc\0\0\0\xac\x20\0\0\0\xf6\x01\0"));
  EXPECT_THAT(parse(unicode).as_strings(), ElementsAre("a", "ü€😀"));
  EXPECT_THAT(parse(image(dictionary("|S2", "(2,)"), raw("abc\0"))).as_strings(),
              ElementsAre("ab", "c"));
  EXPECT_THAT(message_of<DataError>([&] { parse(unicode).as_matrix(); }),
              HasSubstr("contains text"));
  EXPECT_THAT(message_of<DataError>(
                  [&] { parse(image(dictionary("|S2", "(2,)"), raw("abm\xe4"))).as_strings(); }),
              HasSubstr("contains 'm\\xe4', which is not UTF-8"));
}

TEST(Npy, WritesUnicodeThatItReads) {
  const std::vector<std::string> texts = {"a", "ü€😀", "", "\xff bad"};
  const NpyText text = npy_text(texts);
  const std::array<Index, 1> shape = {4};
  std::string bytes = npy_header_text(text.descr, shape);
  bytes.append(reinterpret_cast<const char*>(text.data.data()), text.data.size() * 4);
  EXPECT_THAT(parse(bytes).as_strings(), ElementsAre("a", "ü€😀", "", "ÿ bad"));
}

TEST(Npy, ReadsHalvesScalarsAndBooleans) {
  const Matrix halves =
      parse(image(dictionary("<f2", "(4,)"), raw("\x00\x3e\x00\xc0\x01\x00\x00\x7c"))).as_matrix();
  EXPECT_EQ(halves(0, 0), 1.5);
  EXPECT_EQ(halves(1, 0), -2.0);
  EXPECT_EQ(halves(2, 0), std::ldexp(1.0, -24));
  EXPECT_EQ(halves(3, 0), std::numeric_limits<double>::infinity());
  NpyArray scalar = parse(image(dictionary("<f8", "()"), raw("\0\0\0\0\0\0\x08\x40")));
  EXPECT_TRUE(scalar.shape().empty());
  EXPECT_EQ(scalar.as_matrix()(0, 0), 3.0);
  EXPECT_THAT(parse(image(dictionary("|b1", "(2,)"), raw("\x01\0"))).as_integers(),
              ElementsAre(1, 0));
}

TEST(Npy, ReadsVersionsTwoAndThree) {
  for (const int version : {2, 3}) {
    EXPECT_THAT(parse(image(dictionary("|u1", "(2,)"), raw("\x07\xff"), version)).as_integers(),
                ElementsAre(7, 255));
  }
}

TEST(Npy, FlattensWhatASampleHasBeyondTheFirstDimension) {
  const Matrix images =
      parse(image(dictionary("|i1", "(2, 2, 2)"), "\1\2\3\4\5\6\7\10")).as_matrix();
  EXPECT_EQ(images.rows(), 2);
  EXPECT_EQ(images.cols(), 4);
  EXPECT_EQ(images(1, 0), 5.0);
}

TEST(Npy, RestoresFortranOrderOfThreeDimensions) {
  // numpy.arange(8).reshape(2, 2, 2) in Fortran order.
  NpyArray array = parse(image(dictionary("|i1", "(2, 2, 2)", "True"), raw("\0\4\2\6\1\5\3\7")));
  EXPECT_THAT(array.as_integers(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST(Npy, KeepsNanButDoesNotCallItAnInteger) {
  const std::string bytes = image(dictionary("<f4", "(1,)"), raw("\0\0\xc0\x7f"));
  EXPECT_TRUE(std::isnan(parse(bytes).as_matrix()(0, 0)));
  EXPECT_TRUE(std::isnan(parse(bytes).as_float_matrix()(0, 0)));
  EXPECT_THAT(message_of<DataError>([&] { parse(bytes).as_integers(); }),
              HasSubstr("entry 0 is nan"));
}

TEST(Npy, TakesWholeFloatsAsIntegersAndRefusesFractions) {
  EXPECT_THAT(parse(image(dictionary("<f4", "(1,)"), raw("\0\0\x40\x40"))).as_integers(),
              ElementsAre(3));
  EXPECT_THROW(parse(image(dictionary("<f4", "(1,)"), raw("\0\0\x60\x40"))).as_integers(),
               DataError);
  EXPECT_THROW(parse(image(dictionary("<u8", "(1,)"), std::string(8, '\xff'))).as_integers(),
               DataError);
}

// A source that records the largest number of bytes read at a time.
class CountedBytes : public ByteSource {
 public:
  explicit CountedBytes(std::size_t& largest) : largest_(largest) {}
  void read(std::span<std::byte> out) override {
    largest_ = std::max(largest_, out.size());
    std::fill(out.begin(), out.end(), std::byte{1});
  }

 private:
  std::size_t& largest_;
};

TEST(Npy, DecodesInChunks) {
  std::size_t largest = 0;
  NpyHeader header;
  header.descr = "|u1";
  header.kind = 'u';
  header.item_size = 1;
  header.shape = {500'000, 2};
  header.elements = 1'000'000;
  NpyArray array(header, std::make_unique<CountedBytes>(largest), "a.npy");
  EXPECT_EQ(array.as_matrix(), Matrix::Ones(500'000, 2));
  EXPECT_LE(largest, 1u << 17);
  EXPECT_THROW(array.as_matrix(), ValueError);  // once only
}

TEST(Npy, HandsOutRowsInOrder) {
  NpyArray array = parse(image(dictionary("|i1", "(3, 2)"), "\1\2\3\4\5\6"));
  EXPECT_EQ(array.next_rows(2), (Matrix(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(array.next_rows(2), (Matrix(1, 2) << 5, 6).finished());
  EXPECT_EQ(array.next_rows(2).rows(), 0);
}

TEST(Npy, SaysWhichEntryDoesNotFitAnIndex) {
  NpyArray array = parse(image(dictionary("<i8", "(2,)"), raw("\1\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0")));
  std::vector<std::int32_t> index(2);
  EXPECT_THAT(message_of<DataError>([&] { array.read(std::span(index)); }),
              HasSubstr("entry 1 is 4294967296, expected a 32-bit integer"));
}

TEST(Npy, RefusesPicklesRecordsAndComplexNumbers) {
  EXPECT_THAT(refusal(image(dictionary("|O", "(2,)"), "whatever")), HasSubstr("pickle"));
  EXPECT_THAT(
      refusal(image("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234")),
      HasSubstr("structured"));
  EXPECT_THAT(refusal(image(dictionary("<c8", "(1,)"), "12345678")), HasSubstr("'<c8'"));
  EXPECT_THAT(refusal(image(dictionary("<U0", "(1000000000000,)"), "")), HasSubstr("'<U0'"));
}

TEST(Npy, RefusesHostileShapes) {
  for (const std::string_view shape :
       {"(9223372036854775807,)", "(4294967296, 4294967296)", "(4611686018427387904, 4)", "(-1,)",
        "(0, 9223372036854775807, 9223372036854775807)", "(99999999999999999999,)", "(1000000,)"}) {
    EXPECT_NE(refusal(image(dictionary("<f8", shape), "12345678")), "") << shape;
    EXPECT_NE(refusal(image(dictionary("<f8", shape), "")), "") << shape;
  }
}

TEST(Npy, RefusesEveryTruncationAndEveryExtension) {
  const std::string whole = image(dictionary("<f8", "(2,)"), std::string(16, 'x'));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal(whole.substr(0, length)), "") << length;
  }
  EXPECT_THAT(refusal(whole + "x"), HasSubstr("17 bytes"));
}

TEST(Npy, NeverCrashesOnAChangedByte) {
  const std::string whole = image(dictionary("<f8", "(1, 2)"), std::string(16, 'x'));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[i] = static_cast<char>(value);
      message_of<DataError>([&] { parse(changed).as_strings(); });
    }
  }
}

TEST(Npy, SaysThatAForeignFileIsNotAnArray) {
  EXPECT_THAT(refusal("PK\x03\x04 and more bytes"), HasSubstr("not a NumPy array"));
  EXPECT_THAT(refusal(""), HasSubstr("empty"));
  EXPECT_THAT(message_of<DataError>([] { open_npy("/nonexistent.npy"); }),
              HasSubstr("cannot be opened"));
}

TEST(Npy, SavesWhatItLoads) {
  const TemporaryFolder folder;
  const Matrix points = Matrix::Random(7, 3);
  save_npy(folder / "points.npy", points);
  EXPECT_EQ(open_npy(folder / "points.npy").as_matrix(), points);
  save_npy(folder / "block.npy", points.block(1, 1, 3, 2));
  EXPECT_EQ(open_npy(folder / "block.npy").as_matrix(), points.block(1, 1, 3, 2));
}

}  // namespace
}  // namespace stkr::npy_test
