#pragma once

namespace stkr {

// Transductive: the fit sees the samples it is evaluated on (without their labels). Inductive: it
// does not.
enum class Setting { transductive, inductive };

inline const char* to_string(Setting setting) {
  return setting == Setting::transductive ? "transductive" : "inductive";
}

}  // namespace stkr
