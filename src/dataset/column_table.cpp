#include "dataset/column_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "format/csv_records.hpp"
#include "format/file_format.hpp"
#include "format/npz.hpp"
#include "format/number_text.hpp"
#include "format/text_file.hpp"
#include "format/utf8.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using nlohmann::json;

std::string table_extension(const std::filesystem::path& path, const std::string& format) {
  return format.empty() ? detail::lower_case(path.extension().string()) : "." + format;
}

bool is_json_lines(const std::string& extension) {
  return extension == ".jsonl" || extension == ".ndjson";
}

ColumnTable read_delimited(const std::filesystem::path& path) {
  ColumnTable table{.where = path.string(), .names = {}, .columns = {}};
  detail::CsvRecords records(path);
  records.next();
  for (const std::string& field : records.fields()) {
    check_name(field, fmt::format("{}: line 1", table.where));
    table.names.emplace_back(detail::trimmed(field));
  }
  table.columns.resize(table.names.size());
  while (records.next()) {
    if (records.blank() && table.names.size() > 1) continue;
    if (records.fields().size() != table.names.size()) {
      throw DataError(fmt::format("{}: line {}: has {} fields, expected {} as in the first line",
                                  table.where, records.line(), records.fields().size(),
                                  table.names.size()));
    }
    for (std::size_t c = 0; c < table.names.size(); ++c) {
      table.columns[c].emplace_back(detail::trimmed(records.fields()[c]));
    }
  }
  return table;
}

std::string json_cell(const json& value, const std::string& where, const std::string& name) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null()) return "";
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  if (value.is_number()) return value.dump();
  throw DataError(fmt::format("{}: '{}' is {}; expected a text, a number, true, false or null",
                              where, printable(name), value.type_name()));
}

ColumnTable read_json_lines(const std::filesystem::path& path) {
  ColumnTable table{.where = path.string(), .names = {}, .columns = {}};
  std::unordered_map<std::string, std::size_t> place;
  std::size_t rows = 0;
  for (detail::LineReader lines(path); lines.next();) {
    if (detail::trimmed(lines.line()).empty()) continue;
    const std::string where = fmt::format("{}: line {}", table.where, lines.number());
    const json object = json::parse(lines.line(), nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) {
      throw DataError(fmt::format("{}: is not a JSON object; expected one per line", where));
    }
    for (const auto& [name, value] : object.items()) {
      const auto [found, added] = place.emplace(name, table.names.size());
      if (added) {
        table.names.push_back(name);
        table.columns.emplace_back(rows);  // empty in the lines before
      }
      table.columns[found->second].push_back(json_cell(value, where, name));
    }
    ++rows;
    for (auto& column : table.columns) column.resize(rows);
  }
  return table;
}

std::vector<std::string> array_cells(NpyArray array) {
  if (array.is_text()) return array.as_strings();
  std::vector<std::string> cells;
  const Matrix values = array.as_matrix();
  for (Index i = 0; i < values.size(); ++i) {
    cells.push_back(detail::number_text(values.data()[i]));
  }
  return cells;
}

ColumnTable read_archive(const std::filesystem::path& path) {
  const NpzReader reader(path);
  ColumnTable table{.where = path.string(), .names = {}, .columns = {}};
  std::vector<std::string> outputs;
  for (const char* name : {"classes", "targets"}) {
    if (reader.has_array(name)) outputs = array_cells(reader.array(name));
  }
  const auto add = [&](std::string name, std::vector<std::string> cells) {
    if (!table.columns.empty() && table.columns.front().size() != cells.size()) {
      throw DataError(fmt::format("{}: array {} has {} values, expected {} as in array {}",
                                  table.where, name, cells.size(), table.rows(),
                                  table.names.front()));
    }
    table.names.push_back(std::move(name));
    table.columns.push_back(std::move(cells));
  };
  for (const NpzMember& member : reader.members()) {
    if (!member.header || member.name == "classes" || member.name == "targets") continue;
    const std::vector<Index>& shape = member.header->shape;
    if (shape.size() == 1) {
      add(member.name, array_cells(reader.array(member.name)));
    } else if (shape.size() == 2 && shape[1] == static_cast<Index>(outputs.size()) &&
               (member.name == "scores" || member.name == "probabilities")) {
      const Matrix values = reader.array(member.name).as_matrix();
      for (Index c = 0; c < values.cols(); ++c) {
        std::vector<std::string> cells;
        for (Index i = 0; i < values.rows(); ++i) {
          cells.push_back(detail::number_text(values(i, c)));
        }
        add((member.name == "scores" ? "score_" : "probability_") + outputs[c], std::move(cells));
      }
    }
  }
  return table;
}

}  // namespace

const std::vector<std::string>* ColumnTable::find(std::string_view name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? nullptr : &columns[found - names.begin()];
}

const std::vector<std::string>& ColumnTable::column(std::string_view name) const {
  if (const auto* found = find(name)) return *found;
  throw DataError(fmt::format("{}: has no column {}; it has {}{}", where, printable(name),
                              printable(fmt::format("{}", fmt::join(names, ", "))),
                              suggestion(name, names)));
}

bool is_column_table(const std::filesystem::path& path, const std::string& format) {
  const std::string extension = table_extension(path, format);
  return extension == ".csv" || extension == ".tsv" || is_json_lines(extension);
}

ColumnTable load_columns(const std::filesystem::path& path, const std::string& format) {
  const std::string extension = table_extension(path, format);
  if (is_json_lines(extension)) return read_json_lines(path);
  // For the messages about files that are missing or something else.
  const FileFormat found = extension == ".tsv" ? FileFormat::csv
                           : format.empty()    ? detect_format(path)
                                               : detect_format(path, format_from_name(format));
  ColumnTable table = found == FileFormat::npz ? read_archive(path) : read_delimited(path);
  if (table.rows() == 0) throw DataError(fmt::format("{}: has no rows", table.where));
  return table;
}

}  // namespace stkr
