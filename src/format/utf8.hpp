#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stkr {

// Number of bytes of the first character of a UTF-8 text (RFC 3629); 0 if they are malformed or the
// text is empty.
std::size_t utf8_character(std::string_view text);

bool is_utf8(std::string_view text);

// Returns a text safe to display: control characters, which could control a terminal, and bytes
// that are not UTF-8 are escaped as \n, \x1b or \xe4; everything else stays unchanged.
std::string printable(std::string_view text);

// Throws DataError if the name of a class, a column or a node is not UTF-8, because it could not be
// written to a model later. `where` starts the message: "a.csv: line 2".
void check_name(std::string_view name, const std::string& where);

}  // namespace stkr
