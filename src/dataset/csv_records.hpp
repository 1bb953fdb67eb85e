#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stkr::detail {

// Walks over the records of delimited text (RFC 4180): fields may be quoted, with doubled quotes
// and line ends inside. Throws DataError for a quote that never ends.
class CsvRecords {
 public:
  // Both the text and `shown`, which starts the messages, must outlive this.
  CsvRecords(std::string_view text, char separator, const std::string& shown);

  bool next();  // false at the end
  const std::vector<std::string>& fields() const { return fields_; }
  std::size_t line() const { return line_; }  // where the record starts, from 1
  bool blank() const { return fields_.size() == 1 && fields_[0].empty(); }

 private:
  std::string_view rest_;
  char separator_;
  const std::string& shown_;
  std::vector<std::string> fields_;
  std::size_t line_ = 0;
  std::size_t next_line_ = 1;
};

// The comma, semicolon or tab that occurs most often in the first line; a comma if none does.
char guess_separator(std::string_view text);

// A field, quoted where it has to be.
std::string csv_field(std::string_view text);

std::string lower_case(std::string_view text);

// The column of that name, or one of the usual names (label, class, target, y) where it is empty;
// -1 for none.
int find_label_column(const std::vector<std::string>& columns, std::string_view wanted);

}  // namespace stkr::detail
