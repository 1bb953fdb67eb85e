#include "checkpoint_line.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "format/crc64.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

using nlohmann::json;

// The checksum covers everything after it; the text before it is constant.
constexpr std::string_view kStart = R"({"stkr_cell":2,"crc64":")";
constexpr std::string_view kOldStart = R"({"stkr_cell":1,)";
constexpr std::size_t kDigits = 16;

std::string checksum(std::string_view text) {
  Crc64 crc;
  crc.update(std::as_bytes(std::span(text)));
  return fmt::format("{:016x}", crc.value());
}

std::string as_json(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns a discarded value if the text is not JSON or is too deep. Parsing is iterative, but
// writing is recursive.
json parse_shallow(std::string_view text) {
  bool deep = false;
  json document = json::parse(
      text,
      [&](int depth, json::parse_event_t, json&) {
        deep = deep || depth > kMostDepth;
        return !deep;
      },
      /*allow_exceptions=*/false);
  return deep ? json(json::value_t::discarded) : document;
}

}  // namespace

std::string as_utf8(std::string_view text) { return json::parse(as_json(text)).get<std::string>(); }

std::string compact_json(std::string_view text) {
  const json document = parse_shallow(text);
  if (document.is_discarded()) {
    throw ValueError(fmt::format("not JSON, or too deep: {}", text.substr(0, 1000)));
  }
  return document.dump();
}

std::string checkpoint_line(const CheckpointCell& cell) {
  const std::string sealed = fmt::format("\",\"run\":{},\"key\":{},\"value\":{}}}",
                                         as_json(cell.run), as_json(cell.key), cell.value);
  return fmt::format("{}{}{}", kStart, checksum(sealed), sealed);
}

std::optional<CheckpointCell> parse_checkpoint_line(std::string_view line, std::string& problem) {
  if (line.size() > kMostLineBytes) {
    problem = fmt::format("is longer than {} bytes", kMostLineBytes);
    return std::nullopt;
  }
  if (line.starts_with(kOldStart)) {
    problem = "was written by an earlier version, without a checksum";
    return std::nullopt;
  }
  if (!line.starts_with(kStart) || line.size() < kStart.size() + kDigits) {
    problem = "is damaged or truncated";
    return std::nullopt;
  }
  const std::string_view sealed = line.substr(kStart.size() + kDigits);
  if (checksum(sealed) != line.substr(kStart.size(), kDigits)) {
    problem = "is damaged or truncated: its checksum does not match";
    return std::nullopt;
  }
  const json document = parse_shallow(line);
  const auto text = [&](const char* name) {
    const auto found = document.find(name);
    return found != document.end() && found->is_string() ? std::optional(found->get<std::string>())
                                                         : std::nullopt;
  };
  problem = "has the correct checksum but was not written by stkr";
  if (!document.is_object()) return std::nullopt;
  const auto value = document.find("value");
  std::optional<std::string> run = text("run"), key = text("key");
  if (!run || !key || value == document.end()) return std::nullopt;
  problem.clear();
  return CheckpointCell{std::move(*run), std::move(*key), value->dump()};
}

}  // namespace stkr::detail
