#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stkr {

// How many bytes the first character of a text has in UTF-8 (RFC 3629); 0 where they are malformed,
// and for an empty text.
std::size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

// A text for people: control characters, which could command a terminal, and bytes that are not
// UTF-8 are written as \n, \x1b or \xe4; everything else stays as it is.
std::string printable(std::string_view text);

// Throws DataError for the name of a class, a column or a node that is not UTF-8: such a name could
// not be written to a model later. `where` starts the message: "a.csv: line 2".
void check_name(std::string_view name, const std::string& where);

}  // namespace stkr
