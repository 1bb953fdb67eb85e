#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/csv_records.hpp"

namespace stkr::detail {

// Returns whether a first line with these names is read as a header though nobody says so; numbers
// may be data.
bool reads_as_header(const std::vector<std::string>& names);

// A table in a text file, line by line. Fields are separated by commas, semicolons or tabs, and may
// be quoted.
//
// The first line is a header with column names in UTF-8, unless all its fields are numbers or
// missing; without a header, columns are named 0, 1, ... If the header has one field less than the
// first line, whose first field is text or quoted, then the first column has no name: these are the
// row names of R. In a file with semicolons, 1,5 is a number.
class Table {
 public:
  // `header`: whether the first line is one, if that is known. `missing`: marks of missing cells;
  // none: the usual ones. Throws DataError if a first line with numbers may or may not be a header.
  Table(const std::filesystem::path& path, std::optional<bool> header,
        std::span<const std::string> missing);

  const std::vector<std::string>& names() const { return names_; }  // of all columns, or empty
  bool has_header() const { return header_; }
  const std::vector<std::string>& notes() const { return notes_; }

  bool next();                            // the next line of data; false at the end
  Index lines() const { return lines_; }  // of data so far
  std::size_t line() const { return records_.line(); }
  std::string_view cell(std::size_t column) const;  // without spaces at its ends
  bool missing(std::string_view cell) const;
  std::optional<double> number(std::string_view cell);  // may be infinite or NaN
  // A cell as text: a decimal comma becomes a point.
  std::string text(std::string_view cell);
  // The first lines with a decimal comma and with a decimal point, if commas may be decimal; 0 if
  // there are none so far.
  std::size_t comma_line() const { return comma_line_; }
  std::size_t point_line() const { return point_line_; }

  // Messages start with the file and, except for the first, the line.
  const std::string& path() const { return records_.lines().shown_path(); }
  std::string place() const;
  std::string place(std::size_t line, std::size_t column) const;
  void check_utf8(std::string_view text) const;
  // Throws DataError if no line of data was read.
  void expect_data() const;
  double progress() const;

 private:
  void read_header(std::optional<bool> wanted);

  CsvRecords records_;
  std::vector<std::string> marks_;
  bool numeric_mark_ = false;  // a number may be a mark, too
  bool header_ = false;
  bool pending_ = false;  // the current line is data and not yet returned
  bool ended_ = false;
  Index lines_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> notes_;
  std::size_t comma_line_ = 0;  // the first with a decimal comma
  std::size_t point_line_ = 0;  // likewise, with a decimal point
};

// A name or a cell for messages: printable and not too long.
std::string shortened(std::string_view text);

// Throws DataError if a file has both; 0: it has none.
void check_decimals(const std::string& path, std::size_t comma_line, std::size_t point_line);

}  // namespace stkr::detail
