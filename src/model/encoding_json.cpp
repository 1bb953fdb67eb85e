#include "model/encoding_json.hpp"

#include <fmt/format.h>

#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

// A number without a fill is only its name: a table may have a million of them.
json column_to_json(const EncodedColumn& column) {
  if (column.kind == ColumnKind::number && !column.fill) return column.name;
  json tree{{"name", column.name}, {"kind", column_kind_name(column.kind)}};
  if (column.kind == ColumnKind::category) tree["levels"] = column.levels;
  if (column.fill) tree["fill"] = *column.fill;
  return tree;
}

EncodedColumn column_from_json(const json& tree) {
  if (tree.is_string()) return {.name = tree.get<std::string>()};
  EncodedColumn column{.name = tree.at("name").get<std::string>()};
  const auto kind = tree.at("kind").get<std::string>();
  bool known = false;
  for (const ColumnKind one : {ColumnKind::number, ColumnKind::boolean, ColumnKind::category}) {
    if (kind != column_kind_name(one)) continue;
    column.kind = one;
    known = true;
  }
  if (!known) throw ValueError(fmt::format("'{}' is no kind of column", kind));
  column.levels = tree.value("levels", std::vector<std::string>());
  if (tree.contains("fill")) column.fill = tree["fill"].get<double>();
  return column;
}

std::vector<double> number_list(const Vector& vector) { return {vector.begin(), vector.end()}; }

Vector vector_from_json(const json& tree) {
  const auto values = tree.get<std::vector<double>>();
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

}  // namespace

json encoding_to_json(const TableEncoding& encoding) {
  json tree = json::object();
  if (!encoding.columns.empty()) {
    tree["header"] = encoding.header;
    tree["columns"] = json::array();
    for (const EncodedColumn& column : encoding.columns) {
      tree["columns"].push_back(column_to_json(column));
    }
    tree["ignored"] = encoding.ignored;
    tree["impute"] = encoding.impute;
  }
  if (!encoding.id_column.empty()) tree["id_column"] = encoding.id_column;
  if (!encoding.missing.empty()) tree["missing"] = encoding.missing;
  if (encoding.first_index) tree["first_index"] = *encoding.first_index;
  if (encoding.standardized()) {
    tree["center"] = number_list(encoding.center);
    tree["scale"] = number_list(encoding.scale);
  }
  return tree;
}

TableEncoding encoding_from_json(const json& tree) {
  TableEncoding encoding;
  if (tree.contains("columns")) {
    encoding.header = tree.at("header").get<bool>();
    for (const json& column : tree.at("columns")) {
      encoding.columns.push_back(column_from_json(column));
    }
    encoding.ignored = tree.at("ignored").get<std::vector<std::string>>();
    encoding.impute = tree.at("impute").get<bool>();
  }
  encoding.id_column = tree.value("id_column", std::string());
  encoding.missing = tree.value("missing", std::vector<std::string>());
  if (tree.contains("first_index")) encoding.first_index = tree.at("first_index").get<int>();
  if (tree.contains("scale")) {
    encoding.center = vector_from_json(tree.at("center"));
    encoding.scale = vector_from_json(tree.at("scale"));
  }
  encoding.check();
  return encoding;
}

}  // namespace stkr
