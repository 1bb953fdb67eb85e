#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/npy.hpp"

namespace stkr::detail {

// Parses the dictionary of a .npy header, a Python literal such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Does not check sizes against data.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& where);

}  // namespace stkr::detail
