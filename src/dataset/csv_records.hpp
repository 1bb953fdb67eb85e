#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text_file.hpp"

namespace stkr::detail {

// Cuts a line of delimited text into its fields (RFC 4180): they may be quoted, with doubled quotes
// and line ends inside.
class FieldSplitter {
 public:
  explicit FieldSplitter(char separator) : separator_(separator) {}

  // Adds a line to the record: false where a quote is still open, so that the next one belongs to
  // it. Throws ValueError, without the place, for text after a closing quote and for more fields
  // than anyone could want.
  bool add(std::string_view line);
  void clear();  // a new record
  const std::vector<std::string>& fields() const { return fields_; }

 private:
  void end_field();

  char separator_;
  std::vector<std::string> fields_;
  std::string field_;
  bool quoted_ = false;
  bool closed_ = false;  // the quote of this field
};

// Walks over the records of a file, separated by what separates the fields of its first line.
// Throws DataError for a quote that never ends, and for what FieldSplitter refuses.
class CsvRecords {
 public:
  explicit CsvRecords(const std::filesystem::path& path) : lines_(path) {}

  bool next();  // false at the end
  const std::vector<std::string>& fields() const { return splitter_.fields(); }
  std::size_t line() const { return line_; }  // where the record starts, from 1
  bool blank() const { return fields().size() == 1 && fields()[0].empty(); }
  const LineReader& lines() const { return lines_; }

 private:
  LineReader lines_;
  FieldSplitter splitter_{','};
  std::size_t line_ = 0;
};

std::string lower_case(std::string_view text);

// The column of that name, or one of the usual names (label, class, target, y) where it is empty;
// -1 for none.
int find_label_column(const std::vector<std::string>& columns, std::string_view wanted);

}  // namespace stkr::detail
