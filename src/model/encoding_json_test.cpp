#include "model/encoding_json.hpp"

#include <gtest/gtest.h>

#include "stkr/error.hpp"

namespace stkr::encoding_json_test {
namespace {

using nlohmann::json;

TableEncoding everything() {
  TableEncoding encoding{
      .columns = {{.name = "a"},
                  {.name = "b", .fill = 0.1},
                  {.name = "c", .kind = ColumnKind::category, .levels = {"x", "ü, y"}},
                  {.name = "d", .kind = ColumnKind::boolean, .fill = 1.0}},
      .header = false,
      .ignored = {"label"},
      .id_column = "e",
      .missing = {"?", "-999"},
      .impute = true};
  encoding.center = (Vector(5) << 0.1, 1.0 / 3.0, 0, 0, 1e-300).finished();
  encoding.scale = (Vector(5) << 0.1, 1.0 / 3.0, 1, 1, 1e300).finished();
  return encoding;
}

TEST(EncodingJson, IsReadBack) {
  const TableEncoding before = everything();
  const TableEncoding after = encoding_from_json(json::parse(encoding_to_json(before).dump()));
  EXPECT_EQ(after.columns, before.columns);
  EXPECT_EQ(after.header, before.header);
  EXPECT_EQ(after.ignored, before.ignored);
  EXPECT_EQ(after.id_column, before.id_column);
  EXPECT_EQ(after.missing, before.missing);
  EXPECT_EQ(after.impute, before.impute);
  EXPECT_EQ(after.center, before.center);
  EXPECT_EQ(after.scale, before.scale);
  // An array has only scales.
  TableEncoding scales;
  scales.center = scales.scale = Vector::Ones(2);
  const TableEncoding again = encoding_from_json(encoding_to_json(scales));
  EXPECT_TRUE(again.columns.empty());
  EXPECT_EQ(again.scale, scales.scale);
}

TEST(EncodingJson, RefusesWhatIsNoEncoding) {
  const auto edited = [](const char* name, json value) {
    json tree = encoding_to_json(everything());
    tree[name] = std::move(value);
    return tree;
  };
  EXPECT_THROW(encoding_from_json(edited("scale", {1.0, 2.0})), ValueError);
  EXPECT_THROW(encoding_from_json(edited("scale", {1.0, 2.0, 0.0, 1.0, 1.0})), ValueError);
  EXPECT_THROW(encoding_from_json(edited("scale", "wide")), json::exception);
  EXPECT_THROW(encoding_from_json(edited("columns", {{{"name", "a"}, {"kind", "color"}}})),
               ValueError);
  EXPECT_THROW(encoding_from_json(edited("columns", {{{"kind", "number"}}})), json::exception);
  EXPECT_THROW(encoding_from_json(edited("columns", {1})), json::exception);
  EXPECT_THROW(encoding_from_json(edited("header", 3)), json::exception);
}

}  // namespace
}  // namespace stkr::encoding_json_test
