#pragma once

#include <string>
#include <string_view>

namespace stkr::detail {

// The attributes that NetworkX writes after an edge: "a b {'weight': 1.5, 'color': 'red'}".
// Returns where they start, or npos if the line does not end with a Python dictionary.
std::size_t edge_data_start(std::string_view line);

// Returns the value of the key 'weight' as it is written; "1" if there is none. Other values are
// not interpreted. Throws ValueError, without the place, unless the text is a dictionary with
// strings as keys.
std::string edge_data_weight(std::string_view data);

}  // namespace stkr::detail
