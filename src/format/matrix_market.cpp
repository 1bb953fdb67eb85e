#include "format/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "csv_records.hpp"
#include "format/atomic_file.hpp"
#include "number_text.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::split_words;

CsrMatrix read_coordinates(MatrixMarketReader& reader) {
  std::vector<Triplet> triplets;
  triplets.reserve(static_cast<std::size_t>(reader.entries()) * (reader.symmetric() ? 2 : 1));
  for (Index k = 0; k < reader.entries(); ++k) {
    const auto entry = reader.next_entry();
    if (!entry) {
      reader.fail(fmt::format("the file ends after {} of {} entries", k, reader.entries()));
    }
    triplets.push_back(*entry);
    if (reader.symmetric() && entry->row != entry->column) {
      triplets.push_back({entry->column, entry->row, entry->value});
    }
  }
  if (reader.next_entry()) reader.fail("has more entries than the size line declares");
  return csr_from_triplets(reader.rows(), reader.cols(), std::move(triplets));
}

// Column by column, as the format specifies; only the lower half of a symmetric matrix.
Matrix read_array(MatrixMarketReader& reader) {
  Matrix matrix(reader.rows(), reader.cols());
  for (Index column = 0; column < reader.cols(); ++column) {
    for (Index row = reader.symmetric() ? column : 0; row < reader.rows(); ++row) {
      const auto value = reader.next_value();
      if (!value) reader.fail("the file ends before the last value");
      matrix(row, column) = *value;
      if (reader.symmetric()) matrix(column, row) = *value;
    }
  }
  if (reader.next_value()) reader.fail("has more entries than the size line declares");
  return matrix;
}

}  // namespace

MatrixMarketReader::MatrixMarketReader(const std::filesystem::path& path)
    : lines_(path), file_size_(lines_.file_size()) {
  read_banner();
  read_sizes();
  body_ = std::min(lines_.bytes_read(), file_size_);
}

MatrixMarketReader::MatrixMarketReader(const std::filesystem::path& path, detail::TextRange range,
                                       const MatrixMarketReader& head)
    : lines_(path, range),
      file_size_(head.file_size_),
      body_(head.body_),
      coordinate_(head.coordinate_),
      pattern_(head.pattern_),
      symmetric_(head.symmetric_),
      rows_(head.rows_),
      cols_(head.cols_),
      entries_(head.entries_) {}

void MatrixMarketReader::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: line {}: {}", lines_.shown_path(), lines_.number(), what));
}

void MatrixMarketReader::read_banner() {
  lines_.next();
  const std::string banner = detail::lower_case(lines_.line());
  const auto words = split_words(banner);
  if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
    fail("expected '%%MatrixMarket matrix' followed by format, field and symmetry");
  }
  coordinate_ = words[2] == "coordinate";
  pattern_ = words[3] == "pattern";
  symmetric_ = words[4] == "symmetric";
  const bool known_field = words[3] == "real" || words[3] == "double" || words[3] == "integer" ||
                           (pattern_ && coordinate_);
  if ((!coordinate_ && words[2] != "array") || !known_field ||
      (!symmetric_ && words[4] != "general")) {
    fail(
        fmt::format("'{} {} {}' is not supported; expected coordinate or array; real, integer or "
                    "pattern; general or symmetric",
                    words[2], words[3], words[4]));
  }
}

void MatrixMarketReader::read_sizes() {
  const auto words = next_words();
  const std::size_t count = coordinate_ ? 3 : 2;
  if (!words) fail("the file ends before the size line");
  if (words->size() != count) {
    fail(fmt::format("has {} numbers, expected {} sizes", words->size(), count));
  }
  std::vector<Index> sizes;
  for (const std::string_view word : *words) {
    const auto size = detail::parse_integer(word);
    if (!size || *size < 0) fail(fmt::format("'{}' is not a size", word));
    sizes.push_back(*size);
  }
  rows_ = sizes[0];
  cols_ = sizes[1];
  if (symmetric_ && rows_ != cols_) {
    fail(fmt::format("a symmetric matrix cannot be {} × {}", rows_, cols_));
  }
  if (!coordinate_) {
    const auto stored = symmetric_ ? static_cast<__int128_t>(rows_) * (rows_ + 1) / 2
                                   : static_cast<__int128_t>(rows_) * cols_;
    if (stored > file_size_ / 2 + 1 || stored == 0) {
      fail(fmt::format("declares {} × {} values, but a file of {} bytes cannot contain them", rows_,
                       cols_, file_size_));
    }
    return;
  }
  entries_ = sizes[2];
  if (!detail::plausible_count(rows_, file_size_) || !detail::plausible_count(cols_, file_size_)) {
    fail(fmt::format("declares {} × {}, which is too large for a file of {} bytes", rows_, cols_,
                     file_size_));
  }
  constexpr Index kShortestEntry = 4;  // "1 1\n"
  if (entries_ > file_size_ / kShortestEntry + 1) {
    fail(fmt::format(
        "declares {} entries, more than a file of {} bytes can contain; it is truncated or damaged",
        entries_, file_size_));
  }
}

std::optional<std::vector<std::string_view>> MatrixMarketReader::next_words() {
  while (lines_.next()) {
    const std::string_view line = detail::trimmed(lines_.line());
    if (!line.empty() && line.front() != '%') return split_words(line);
  }
  return std::nullopt;
}

double MatrixMarketReader::number(std::string_view word) const {
  const auto value = detail::parse_number(word);
  if (!value) fail(fmt::format("'{}' is not a number", word));
  return *value;
}

std::int32_t MatrixMarketReader::position(std::string_view word, Index size) const {
  const auto value = detail::parse_integer(word);
  if (!value || *value < 1 || *value > size) {
    fail(fmt::format("'{}' is not an index from 1 to {}", word, size));
  }
  return static_cast<std::int32_t>(*value - 1);
}

std::optional<Triplet> MatrixMarketReader::next_entry() {
  const auto words = next_words();
  if (!words) return std::nullopt;
  const std::size_t width = pattern_ ? 2 : 3;
  if (words->size() != width) {
    fail(fmt::format("has {} numbers, expected {}", words->size(), width));
  }
  const std::int32_t row = position((*words)[0], rows_), column = position((*words)[1], cols_);
  const double value = pattern_ ? 1.0 : number((*words)[2]);
  if (!std::isfinite(value)) fail(fmt::format("'{}' is not finite", (*words)[2]));
  return Triplet{row, column, value};
}

std::optional<double> MatrixMarketReader::next_value() {
  const auto words = next_words();
  if (!words) return std::nullopt;
  if (words->size() != 1) fail(fmt::format("has {} numbers, expected 1", words->size()));
  return number(words->front());
}

std::variant<CsrMatrix, Matrix> load_matrix_market(const std::filesystem::path& path) {
  MatrixMarketReader reader(path);
  if (reader.coordinate()) return read_coordinates(reader);
  return read_array(reader);
}

void save_matrix_market(const std::filesystem::path& path, const CsrMatrix& matrix) {
  check_csr(matrix, "save_matrix_market");
  const bool symmetric = matrix.rows == matrix.cols && asymmetry(matrix).largest == 0.0;
  const auto each = [&](auto&& use) {
    for (Index row = 0; row < matrix.rows; ++row) {
      for (auto i = matrix.row_start[static_cast<std::size_t>(row)];
           i < matrix.row_start[static_cast<std::size_t>(row) + 1]; ++i) {
        const Index column = matrix.column[static_cast<std::size_t>(i)];
        if (!symmetric || column <= row)
          use(row, column, matrix.value[static_cast<std::size_t>(i)]);
      }
    }
  };
  Index stored = 0;
  each([&](Index, Index, double) { ++stored; });
  write_atomically(path, [&](FileSink& sink) {
    sink.write(fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                           symmetric ? "symmetric" : "general", matrix.rows, matrix.cols, stored));
    each([&](Index row, Index column, double value) {
      sink.write(fmt::format("{} {} {}\n", row + 1, column + 1, detail::number_text(value)));
    });
  });
}

void save_matrix_market(const std::filesystem::path& path, ConstMatrixRef matrix) {
  write_atomically(path, [&](FileSink& sink) {
    sink.write(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows(),
                           matrix.cols()));
    for (Index column = 0; column < matrix.cols(); ++column) {
      for (Index row = 0; row < matrix.rows(); ++row) {
        sink.write(detail::number_text(matrix(row, column)) + "\n");
      }
    }
  });
}

}  // namespace stkr
