#include <fmt/format.h>

#include <fstream>

#include "number_text.hpp"
#include "parsed.hpp"
#include "stkr/dataset/file_format.hpp"
#include "stkr/error.hpp"
#include "text_file.hpp"

namespace stkr::detail {

RowReference parse_row_reference(const std::string& text) {
  const std::size_t open = text.rfind('[');
  if (open == std::string::npos || text.back() != ']') return {text, std::nullopt};
  const auto row = parse_integer(std::string_view(text).substr(open + 1, text.size() - open - 2));
  if (!row || *row < 0) return {text, std::nullopt};
  return {text.substr(0, open), *row};
}

std::vector<Index> index_from_array(const NpyArray& array, std::optional<Index> row) {
  const auto fail = [&](const std::string& what) {
    throw DataError(fmt::format("{}: {}", array.where, what));
  };
  if (array.is_text() || array.shape().empty() || array.shape().size() > 2) {
    fail("expected a vector of sample indices, or a matrix with one list of them per row");
  }
  std::vector<std::int64_t> values = array.as_integers();
  if (array.shape().size() == 2) {
    const Index rows = array.shape()[0];
    const Index length = array.shape()[1];
    if (!row && rows != 1) {
      fail(fmt::format("has {} rows; choose one by its number in brackets, [0] to [{}]", rows,
                       rows - 1));
    }
    const Index chosen = row.value_or(0);
    if (chosen >= rows) fail(fmt::format("has {} rows, so row {} is out of range", rows, chosen));
    values = {values.begin() + chosen * length, values.begin() + (chosen + 1) * length};
  } else if (row) {
    fail("is a vector, so it has no rows to choose from; leave out the brackets");
  }
  if (array.header.kind != 'b') return {values.begin(), values.end()};
  std::vector<Index> indices;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) indices.push_back(static_cast<Index>(i));
  }
  return indices;
}

Labels load_label_file(const std::filesystem::path& path, Task task) {
  std::string extension = path.extension().string();
  if (extension == ".npy") return labels_from_array(load_npy(path), task);
  const std::string text = read_text_file(path);
  std::vector<std::string> cells;
  for (LineReader lines(text); lines.next();) cells.emplace_back(trimmed(lines.line()));
  return labels_from_cells(cells, "label", task, path.string());
}

std::vector<Index> load_index_file(const std::filesystem::path& path, std::optional<Index> row) {
  if (path.extension() == ".npy") return index_from_array(load_npy(path), row);
  const std::string text = read_text_file(path);
  std::vector<Index> indices;
  for (LineReader lines(text); lines.next();) {
    std::string_view rest = lines.line();
    rest = rest.substr(0, rest.find('#'));
    while (!(rest = trimmed(rest)).empty()) {
      const std::string_view word = rest.substr(0, rest.find_first_of(" \t,"));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      const auto value = parse_integer(word);
      if (!value) {
        throw DataError(fmt::format("{}: line {}: '{}' is not the index of a sample", path.string(),
                                    lines.number(), word));
      }
      indices.push_back(*value);
    }
  }
  return indices;
}

}  // namespace stkr::detail
