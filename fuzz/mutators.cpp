#include "mutators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "format/crc64.hpp"
#include "zip_archive.hpp"

namespace stkr::fuzz {
namespace {

using nlohmann::json;

std::string as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// Up to 100,000 nested brackets.
std::string brackets(Random& random) {
  const std::size_t depth = std::size_t{1} << pick(random, 17);
  return std::string(depth, '[') + std::string(depth, ']');
}

json odd_value(Random& random) {
  const std::array<json, 16> values{
      nullptr, true,  0,       -1, 1,     2147483648,  4294967296,    std::uint64_t{1} << 63,
      0.5,     1e300, -1e-300, "", "rbf", "lazy-walk", json::array(), json::object()};
  return values[pick(random, values.size())];
}

void collect(json& node, std::vector<json*>& nodes) {
  nodes.push_back(&node);
  for (json& child : node) {
    if (node.is_structured()) collect(child, nodes);
  }
}

}  // namespace

bool is_deep(const std::string& text) {
  constexpr int kMost = 100;
  int depth = 0, most = 0;
  for (const char c : text) {
    depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    most = std::max(most, depth);
  }
  return most > kMost;
}

std::string mutated_bytes(std::string text, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  text.resize(std::max<std::size_t>(most, 1));
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, text.size()));
  return text;
}

std::string mutated_json(const std::string& text, Random& random, std::size_t most) {
  if (is_deep(text)) return mutated_bytes(text, most);
  json document = json::parse(text, nullptr, false);
  if (document.is_discarded() || pick(random, 4) == 0) return mutated_bytes(text, most);
  std::vector<json*> nodes;
  collect(document, nodes);
  json& node = *nodes[pick(random, nodes.size())];
  switch (pick(random, 6)) {
    case 0:
      if (node.is_structured() && !node.empty()) {
        node.erase(std::next(node.begin(), static_cast<long>(pick(random, node.size()))));
      }
      break;
    case 1:
      node = *nodes[pick(random, nodes.size())];
      break;
    case 2:
      if (node.is_array()) node.push_back(node.empty() ? odd_value(random) : json(node.front()));
      break;
    case 3:
      if (node.is_string()) {
        node = json::parse(json(mutated_bytes(node.get<std::string>(), 64))
                               .dump(-1, ' ', false, json::error_handler_t::replace));
      }
      break;
    case 4:
      if (pick(random, 16) == 0) node = "@brackets@";
      break;
    default:
      node = odd_value(random);
  }
  std::string changed = document.dump(-1, ' ', false, json::error_handler_t::replace);
  if (const std::size_t at = changed.find("\"@brackets@\""); at != std::string::npos) {
    changed.replace(at, 12, brackets(random));
  }
  return changed;
}

std::size_t hand_over(const std::string& text, std::uint8_t* data, std::size_t size,
                      std::size_t most) {
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}

std::size_t mutate_npy(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  if (pick(random, 4) == 0) return LLVMFuzzerMutate(data, size, most);
  return hand_over(mutated_npy(as_text(data, size), random, most), data, size, most);
}

std::size_t mutate_npz(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Random random(seed);
  std::optional<ZipArchive> archive = parse_zip(as_text(data, size));
  if (!archive || archive->members.empty() || pick(random, 8) == 0) {
    return LLVMFuzzerMutate(data, size, most);
  }
  auto& members = archive->members;
  const std::size_t at = pick(random, members.size());
  ZipArchive::Member& member = members[at];
  const std::size_t room = member.content.size() + (most > size ? most - size : 0);
  switch (pick(random, 12)) {
    case 0:
      members.erase(members.begin() + static_cast<long>(at));
      break;
    case 1:
      member.name = mutated_bytes(member.name, 40);
      break;
    case 2:
      std::swap(member.content, members[pick(random, members.size())].content);
      break;
    case 3:
      std::swap(member.name, members[pick(random, members.size())].name);
      break;
    default:
      if (member.name.ends_with(".json")) {
        member.content = mutated_json(member.content, random, room);
      } else {
        member.content = mutated_npy(std::move(member.content), random, room);
      }
  }
  return hand_over(write_zip(*archive), data, size, most);
}

std::size_t mutate_checkpoint(std::uint8_t* data, std::size_t size, std::size_t most,
                              unsigned seed) {
  constexpr std::string_view kStart = R"({"stkr_cell":2,"crc64":")";
  constexpr std::size_t kSealed = kStart.size() + 16;
  Random random(seed);
  const std::string text = as_text(data, size);
  if (pick(random, 6) == 0) return LLVMFuzzerMutate(data, size, most);
  // A random line with a checksum.
  std::vector<std::size_t> starts;
  for (std::size_t at = text.find(kStart); at != std::string::npos;
       at = text.find(kStart, at + 1)) {
    starts.push_back(at);
  }
  if (starts.empty()) return LLVMFuzzerMutate(data, size, most);
  const std::size_t start = starts[pick(random, starts.size())];
  const std::size_t end = std::min(text.find('\n', start), text.size());
  if (end < start + kSealed) return LLVMFuzzerMutate(data, size, most);
  const std::size_t room = end - start + (most > size ? most - size : 0);
  const std::string line = text.substr(start, end - start);
  std::string rest;
  if (const json cell = is_deep(line) ? json() : json::parse(line, nullptr, false);
      cell.is_object() && cell.contains("value") && pick(random, 4) != 0) {
    rest = fmt::format("\",\"run\":{},\"key\":{},\"value\":{}}}", cell.value("run", json()).dump(),
                       cell.value("key", json()).dump(),
                       mutated_json(cell["value"].dump(), random, room));
  } else {
    rest = mutated_bytes(line.substr(kSealed), room);
  }
  Crc64 crc;
  crc.update(std::as_bytes(std::span(rest)));
  return hand_over(fmt::format("{}{}{:016x}{}{}", text.substr(0, start), kStart, crc.value(), rest,
                               text.substr(end)),
                   data, size, most);
}

}  // namespace stkr::fuzz
