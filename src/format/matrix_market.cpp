#include "format/matrix_market.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "csv_records.hpp"
#include "format/atomic_file.hpp"
#include "number_text.hpp"
#include "stkr/error.hpp"
#include "text_file.hpp"

namespace stkr {
namespace {

using detail::LineReader;
using detail::split_words;

class Parser {
 public:
  explicit Parser(const std::filesystem::path& path)
      : lines_(path), shown_(path.string()), file_size_(lines_.file_size()) {}

  std::variant<CsrMatrix, Matrix> parse() {
    read_banner();
    if (coordinate_) return read_coordinates();
    return read_array();
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(fmt::format("{}: line {}: {}", shown_, lines_.number(), what));
  }

  void read_banner() {
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

  // The next line that is neither blank nor a comment; nullopt at the end.
  std::optional<std::vector<std::string_view>> next_words() {
    while (lines_.next()) {
      const std::string_view line = detail::trimmed(lines_.line());
      if (!line.empty() && line.front() != '%') return split_words(line);
    }
    return std::nullopt;
  }

  std::vector<Index> read_sizes(std::size_t count) {
    const auto words = next_words();
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
    if (symmetric_ && sizes[0] != sizes[1]) {
      fail(fmt::format("a symmetric matrix cannot be {} × {}", sizes[0], sizes[1]));
    }
    return sizes;
  }

  double number(std::string_view word) const {
    const auto value = detail::parse_number(word);
    if (!value) fail(fmt::format("'{}' is not a number", word));
    return *value;
  }

  Index position(std::string_view word, Index size) const {
    const auto value = detail::parse_integer(word);
    if (!value || *value < 1 || *value > size) {
      fail(fmt::format("'{}' is not an index from 1 to {}", word, size));
    }
    return *value - 1;
  }

  CsrMatrix read_coordinates() {
    const auto sizes = read_sizes(3);
    const Index entries = sizes[2];
    if (!detail::plausible_count(sizes[0], file_size_) ||
        !detail::plausible_count(sizes[1], file_size_)) {
      fail(fmt::format("declares {} × {}, which is too large for a file of {} bytes", sizes[0],
                       sizes[1], file_size_));
    }
    constexpr Index kShortestEntry = 4;  // "1 1\n"
    if (entries > file_size_ / kShortestEntry + 1) {
      fail(fmt::format(
          "declares {} entries, more than a file of {} bytes can contain; it is truncated "
          "or damaged",
          entries, file_size_));
    }
    std::vector<Triplet> triplets;
    triplets.reserve(static_cast<std::size_t>(entries) * (symmetric_ ? 2 : 1));
    const std::size_t width = pattern_ ? 2 : 3;
    for (Index k = 0; k < entries; ++k) {
      const auto words = next_words();
      if (!words) fail(fmt::format("the file ends after {} of {} entries", k, entries));
      if (words->size() != width) {
        fail(fmt::format("has {} numbers, expected {}", words->size(), width));
      }
      const auto row = static_cast<std::int32_t>(position((*words)[0], sizes[0]));
      const auto column = static_cast<std::int32_t>(position((*words)[1], sizes[1]));
      const double value = pattern_ ? 1.0 : number((*words)[2]);
      if (!std::isfinite(value)) fail(fmt::format("'{}' is not finite", (*words)[2]));
      triplets.push_back({row, column, value});
      if (symmetric_ && row != column) triplets.push_back({column, row, value});
    }
    expect_end();
    return csr_from_triplets(sizes[0], sizes[1], std::move(triplets));
  }

  // Column by column, as the format specifies; only the lower half of a symmetric matrix.
  Matrix read_array() {
    const auto sizes = read_sizes(2);
    const auto stored = symmetric_ ? static_cast<__int128_t>(sizes[0]) * (sizes[0] + 1) / 2
                                   : static_cast<__int128_t>(sizes[0]) * sizes[1];
    if (stored > file_size_ / 2 + 1 || stored == 0) {
      fail(fmt::format("declares {} × {} values, but a file of {} bytes cannot contain them",
                       sizes[0], sizes[1], file_size_));
    }
    Matrix matrix(sizes[0], sizes[1]);
    for (Index column = 0; column < sizes[1]; ++column) {
      for (Index row = symmetric_ ? column : 0; row < sizes[0]; ++row) {
        const auto words = next_words();
        if (!words) fail("the file ends before the last value");
        if (words->size() != 1) fail(fmt::format("has {} numbers, expected 1", words->size()));
        matrix(row, column) = number((*words)[0]);
        if (symmetric_) matrix(column, row) = matrix(row, column);
      }
    }
    expect_end();
    return matrix;
  }

  void expect_end() {
    if (next_words()) fail("has more entries than the size line declares");
  }

  LineReader lines_;
  std::string shown_;
  Index file_size_;
  bool coordinate_ = false;
  bool pattern_ = false;
  bool symmetric_ = false;
};

}  // namespace

std::variant<CsrMatrix, Matrix> load_matrix_market(const std::filesystem::path& path) {
  return Parser(path).parse();
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
