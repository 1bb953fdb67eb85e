#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text_file.hpp"

namespace stkr::detail {

// Splits a line of delimited text into its fields (RFC 4180), which may be quoted and then contain
// doubled quotes and line ends.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator) {}

  // Adds a line to the record. Returns false if a quote is still open, so that the next line
  // belongs to the record. Throws ValueError, without the place, for text after a closing quote and
  // for too many fields.
  bool add(std::string_view line);
  void clear();  // starts a new record
  const std::vector<std::string>& fields() const { return fields_; }
  // Whether a field was quoted, so that spaces at its ends belong to it.
  bool quoted(std::size_t field) const { return were_quoted_[field] != 0; }
  char separator() const { return separator_; }

 private:
  void end_field();

  char separator_;
  std::vector<std::string> fields_;
  std::vector<char> were_quoted_;
  std::string field_;
  bool quoted_ = false;
  bool closed_ = false;  // the quoted field has ended
};

// Reads the records of a file, with the field separator found in its first line. Throws DataError
// for a quote that is never closed, and for records that FieldSplitter rejects.
class CsvRecords {
 public:
  explicit CsvRecords(const std::filesystem::path& path) : lines_(path) {}

  bool next();  // false at the end
  const std::vector<std::string>& fields() const { return splitter_.fields(); }
  bool quoted(std::size_t field) const { return splitter_.quoted(field); }
  char separator() const { return splitter_.separator(); }
  std::size_t line() const { return line_; }  // where the record starts, from 1
  bool blank() const { return fields().size() == 1 && fields()[0].empty(); }
  const LineReader& lines() const { return lines_; }

 private:
  LineReader lines_;
  FieldSplitter splitter_{','};
  std::size_t line_ = 0;
};

// Whether a field is a number with a decimal comma.
bool has_decimal_comma(std::string_view field);

std::string lower_case(std::string_view text);

// The column named `wanted` or, if that is empty, one with a usual name (label, class, target, y);
// -1 if there is none.
int find_label_column(const std::vector<std::string>& columns, std::string_view wanted);

}  // namespace stkr::detail
