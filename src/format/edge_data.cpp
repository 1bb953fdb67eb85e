#include "edge_data.hpp"

#include <fmt/format.h>

#include "number_text.hpp"
#include "stkr/error.hpp"
#include "utf8.hpp"

namespace stkr::detail {
namespace {

// The number in "np.float64(1.5)", as NumPy 2 shows its scalars.
std::string_view plain_number(std::string_view written) {
  const std::size_t open = written.find('(');
  if (!written.starts_with("np.") || open == std::string_view::npos) return written;
  return written.substr(open + 1, written.size() - open - 2);
}

class DictionaryScanner {
 public:
  explicit DictionaryScanner(std::string_view text) : text_(text) {}

  std::string weight() {
    std::string found = "1";
    take('{');
    while (!accept('}')) {
      const std::string_view key = quoted();
      take(':');
      const std::string_view written = value();
      if (key == "weight") found = plain_number(written);
      if (!accept(',') && next() != '}') fail();
    }
    if (!trimmed(text_.substr(at_)).empty()) fail();
    return found;
  }

 private:
  [[noreturn]] void fail() const {
    throw ValueError(
        fmt::format("'{}' is not an attribute dictionary as NetworkX writes it, such as "
                    "{{'weight': 1}}; write the graph with nx.write_weighted_edgelist instead",
                    printable(text_.substr(0, 60))));
  }
  char next() {
    at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size());
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  void take(char wanted) {
    if (!accept(wanted)) fail();
  }

  // A string of Python, without the quotes; escapes stay as they are.
  std::string_view quoted() {
    const char quote = next();
    if (quote != '\'' && quote != '"') fail();
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) fail();
    return text_.substr(begin, at_++ - begin);
  }

  // Any value up to the comma or brace that ends it.
  std::string_view value() {
    next();
    const std::size_t begin = at_;
    std::string open;  // brackets
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        quoted();
        continue;
      }
      if (open.empty() && (c == ',' || c == '}')) break;
      if (c == '(' || c == '[' || c == '{') {
        open += c == '(' ? ')' : static_cast<char>(c + 2);
      } else if (c == ')' || c == ']' || c == '}') {
        if (open.empty() || open.back() != c) fail();
        open.pop_back();
      }
      ++at_;
    }
    const std::string_view written = trimmed(text_.substr(begin, at_ - begin));
    if (written.empty() || at_ >= text_.size()) fail();
    return written;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t edge_data_start(std::string_view line) {
  if (!line.ends_with('}')) return std::string_view::npos;
  for (std::size_t at = line.find('{'); at != std::string_view::npos; at = line.find('{', at + 1)) {
    const std::string_view inside = trimmed(line.substr(at + 1));
    const bool separated = at > 0 && std::string_view(" \t,;").find(line[at - 1]) < 4;
    if (separated && (inside == "}" || inside[0] == '\'' || inside[0] == '"')) return at;
  }
  return std::string_view::npos;
}

std::string edge_data_weight(std::string_view data) { return DictionaryScanner(data).weight(); }

}  // namespace stkr::detail
