#pragma once

#include <string>
#include <vector>

namespace stkr::app {

// `text` as one word of a shell, and words as its text.
std::string shell_word(const std::string& text);
std::string shell_text(const std::vector<std::string>& words);

}  // namespace stkr::app
