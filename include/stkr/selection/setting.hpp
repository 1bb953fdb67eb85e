#pragma once

namespace stkr {

// Whether the learner sees the samples it is judged on while it is fitted (without their labels),
// or never before it has to answer.
enum class Setting { transductive, inductive };

inline const char* to_string(Setting setting) {
  return setting == Setting::transductive ? "transductive" : "inductive";
}

}  // namespace stkr
