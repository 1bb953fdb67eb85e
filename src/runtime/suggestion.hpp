#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace stkr {

// The candidate that `text` probably means: equal but for case, '-' and '_', or a few typing errors
// away (characters missing, added, replaced or exchanged; one for every three characters, at most
// three). The first of equally close ones; none if no candidate is close.
std::optional<std::string> closest(std::string_view text, std::span<const std::string> candidates);

// The candidate that equals `text` but for '-' and '_'; none if there is none.
std::optional<std::string> same_name(std::string_view text,
                                     std::span<const std::string> candidates);

// "; did you mean target?", or nothing if no candidate is close. `prefix` precedes the name ("--").
std::string suggestion(std::string_view text, std::span<const std::string> candidates,
                       std::string_view prefix = "");

// "'gauss' is unknown; expected one of rbf, linear", and a suggestion if one is close.
std::string unknown_name(std::string_view text, std::span<const std::string> candidates);

// The candidate with that name, as in same_name. Throws ParameterError, "WHAT 'gauss' is unknown;
// ...", if there is none.
std::string known_name(std::string_view text, std::span<const std::string> candidates,
                       std::string_view what);

}  // namespace stkr
