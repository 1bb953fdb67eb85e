#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "format/crc64.hpp"
#include "mutators.hpp"

namespace stkr::fuzz {
namespace {

using nlohmann::json;

struct Entry {
  std::string line;   // without its line break
  std::string bytes;  // of its blocks
};

struct State {
  std::string head;
  std::vector<Entry> entries;
};

std::string next_line(const std::string& text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  return line;
}

// The number of bytes that the shapes of an entry declare; shapes may be numbers of any kind.
std::size_t announced(const std::string& line, std::size_t most) {
  const json entry = json::parse(line, nullptr, false);
  double total = 0;
  if (!entry.is_object() || !entry.contains("shapes") || !entry["shapes"].is_array()) return 0;
  for (const json& shape : entry["shapes"]) {
    if (shape.is_array() && shape.size() == 2 && shape[0].is_number() && shape[1].is_number()) {
      total += 8 * shape[0].get<double>() * shape[1].get<double>();
    }
  }
  return total > 0 ? static_cast<std::size_t>(std::min(total, static_cast<double>(most))) : 0;
}

State parse_state(const std::string& text) {
  State state;
  std::size_t at = 0;
  state.head = next_line(text, at);
  while (at < text.size()) {
    Entry entry{next_line(text, at), {}};
    const std::size_t size = announced(entry.line, text.size() - at);
    entry.bytes = text.substr(at, size);
    at += entry.bytes.size();
    state.entries.push_back(std::move(entry));
  }
  return state;
}

// The line with the checksum that the reader computes.
std::string sealed(const Entry& entry) {
  if (is_deep(entry.line)) return entry.line;
  json line = json::parse(entry.line, nullptr, false);
  if (!line.is_object() || !line.contains("name") || !line.contains("shapes")) return entry.line;
  Crc64 crc;
  const std::string covered = json{{"name", line["name"]}, {"shapes", line["shapes"]}}.dump(
      -1, ' ', false, json::error_handler_t::replace);
  crc.update(std::as_bytes(std::span(covered)));
  crc.update(std::as_bytes(std::span(entry.bytes)));
  line["crc64"] = fmt::format("{:016x}", crc.value());
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::size_t mutate_state(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  State state = parse_state({reinterpret_cast<const char*>(data), size});
  if (state.entries.empty() || pick(random, 8) == 0) return LLVMFuzzerMutate(data, size, most);
  const std::size_t room = most > size ? most - size : 0;
  const std::size_t at = pick(random, state.entries.size());
  Entry& entry = state.entries[at];
  switch (pick(random, 8)) {
    case 0:
      state.head = mutated_json(state.head, random, state.head.size() + room);
      break;
    case 1:
      state.entries.erase(state.entries.begin() + static_cast<long>(at));
      break;
    case 2:
      state.entries.push_back(Entry(entry));
      break;
    case 3:
    case 4:
      entry.bytes = mutated_bytes(entry.bytes, entry.bytes.size() + room);
      break;
    default:
      entry.line = mutated_json(entry.line, random, entry.line.size() + room);
  }
  std::string text = state.head + "\n";
  for (const Entry& one : state.entries) text += sealed(one) + "\n" + one.bytes;
  return hand_over(text, data, size, most);
}

}  // namespace stkr::fuzz
