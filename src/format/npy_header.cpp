#include "npy_header.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>

#include "format/data_failure.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

// Parser for the few Python literals that NumPy writes in headers.
class Literal {
 public:
  Literal(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  bool accept(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c) {
    if (!accept(c)) malformed();
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_.front();
  }

  std::string text() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') malformed();
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) malformed();
    std::string result(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return result;
  }

  bool boolean() {
    skip_space();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return value;
      }
    }
    malformed();
  }

  Index integer() {
    skip_space();
    Index value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < 0) malformed();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (!rest_.empty() && rest_.front() == 'L') rest_.remove_prefix(1);  // Python 2
    return value;
  }

  [[noreturn]] void malformed() const {
    fail_to_read(
        where_, "the array header is damaged; write the file again with numpy.save or numpy.savez");
  }

 private:
  void skip_space() {
    const std::size_t start = rest_.find_first_not_of(" \t\r\n");
    rest_.remove_prefix(start == std::string_view::npos ? rest_.size() : start);
  }

  std::string_view rest_;
  const std::string& where_;
};

std::vector<Index> parse_shape(Literal& literal) {
  constexpr std::size_t kMostDimensions = 32;  // as in NumPy
  std::vector<Index> shape;
  literal.expect('(');
  while (!literal.accept(')')) {
    if (shape.size() == kMostDimensions) literal.malformed();
    shape.push_back(literal.integer());
    if (!literal.accept(',')) {
      literal.expect(')');
      break;
    }
  }
  return shape;
}

bool known_size(char kind, std::size_t size) {
  switch (kind) {
    case 'b':
      return size == 1;
    case 'i':
    case 'u':
      return size == 1 || size == 2 || size == 4 || size == 8;
    case 'f':
      return size == 2 || size == 4 || size == 8;
    case 'S':
      return size > 0;
    case 'U':
      return size > 0 && size % 4 == 0;
    default:
      return false;
  }
}

void parse_descr(NpyHeader& header, const std::string& where) {
  std::string_view descr = header.descr;
  if (descr.find('O') != std::string_view::npos) {
    fail_to_read(where,
                 fmt::format("is an object array (type '{}'), which only Python's pickle can read, "
                             "and pickles can run code; save numbers or strings instead",
                             header.descr));
  }
  const auto refuse = [&] {
    fail_to_read(
        where, fmt::format("has type '{}', expected booleans, integers of 8 to 64 bits, floats of "
                           "16 to 64 bits, or strings; convert it with numpy.astype",
                           header.descr));
  };
  char order = '|';
  if (!descr.empty() && std::string_view("<>|=").find(descr.front()) != std::string_view::npos) {
    order = descr.front();
    descr.remove_prefix(1);
  }
  if (descr.size() < 2) refuse();
  header.kind = descr.front();
  descr.remove_prefix(1);
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(descr.data(), descr.data() + descr.size(), count);
  if (error != std::errc() || end != descr.data() + descr.size()) refuse();
  if (count > std::numeric_limits<std::uint32_t>::max()) refuse();
  header.item_size = header.kind == 'U' ? 4 * count : count;
  if (!known_size(header.kind, header.item_size)) refuse();
  const bool little = std::endian::native == std::endian::little;
  header.swapped = order == (little ? '>' : '<') && header.kind != 'S';
}

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text, const std::string& where) {
  NpyHeader header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  Literal literal(text, where);
  literal.expect('{');
  while (!literal.accept('}')) {
    const std::string key = literal.text();
    literal.expect(':');
    if (key == "descr") {
      if (literal.peek() == '[') {
        fail_to_read(where, "is a structured array (records); save each field as a separate array");
      }
      header.descr = literal.text();
      has_descr = true;
    } else if (key == "fortran_order") {
      header.fortran_order = literal.boolean();
      has_order = true;
    } else if (key == "shape") {
      header.shape = parse_shape(literal);
      has_shape = true;
    } else {
      literal.malformed();
    }
    if (!literal.accept(',')) {
      literal.expect('}');
      break;
    }
  }
  if (!literal.at_end() || !has_descr || !has_order || !has_shape) literal.malformed();
  parse_descr(header, where);
  return header;
}

}  // namespace stkr::detail
