#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "format/text_file.hpp"
#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// The exchange format of the NIST Matrix Market (Boisvert, Pozo and Remington 1996): `coordinate`
// matrices (real, integer or pattern) as sparse rows, `array` matrices as dense. General or
// symmetric; returns both halves of a symmetric matrix. Duplicate entries are added up, as the
// format specifies. Throws DataError with the line.
std::variant<CsrMatrix, Matrix> load_matrix_market(const std::filesystem::path& path);

// Such a file, number by number. Throws DataError with the line.
class MatrixMarketReader {
 public:
  // Reads the head: what the matrix is.
  explicit MatrixMarketReader(const std::filesystem::path& path);
  // Only the lines that start in a range after the head, which another reader has read.
  MatrixMarketReader(const std::filesystem::path& path, detail::TextRange range,
                     const MatrixMarketReader& head);

  bool coordinate() const { return coordinate_; }
  bool symmetric() const { return symmetric_; }  // one half is listed
  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  Index entries() const { return entries_; }  // as declared, of a coordinate matrix
  Index body() const { return body_; }        // the first byte after the head
  Index file_size() const { return file_size_; }

  // The next entry of a coordinate matrix, or value of an array; nullopt at the end.
  std::optional<Triplet> next_entry();
  std::optional<double> next_value();
  [[noreturn]] void fail(const std::string& what) const;

 private:
  void read_banner();
  void read_sizes();
  // The next line that is neither blank nor a comment; nullopt at the end.
  std::optional<std::vector<std::string_view>> next_words();
  double number(std::string_view word) const;
  std::int32_t position(std::string_view word, Index size) const;

  detail::LineReader lines_;
  Index file_size_ = 0, body_ = 0;
  bool coordinate_ = false, pattern_ = false, symmetric_ = false;
  Index rows_ = 0, cols_ = 0, entries_ = 0;
};

// A matrix that equals its transpose is written as symmetric, with its lower half only.
void save_matrix_market(const std::filesystem::path& path, const CsrMatrix& matrix);
void save_matrix_market(const std::filesystem::path& path, ConstMatrixRef matrix);

}  // namespace stkr
