#include "graphml_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "format/byte_source.hpp"
#include "format/csv_records.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "stkr/error.hpp"

namespace stkr::detail {
namespace {

constexpr std::size_t kLongestId = 1000;
constexpr std::size_t kLongestValue = 1 << 20;

// "node" of "node" and of "g:node".
std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

}  // namespace

GraphmlParser::GraphmlParser(const std::filesystem::path& path, Keep keep, const void* context)
    : path_(path), keep_(keep), context_(context), parser_(XML_ParserCreate(nullptr)) {
  if (!parser_) throw std::bad_alloc();
  XML_SetUserData(parser_.get(), this);
  XML_SetElementHandler(parser_.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser_.get(), on_text);
  XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
}

void GraphmlParser::fail(const std::string& what) const {
  throw DataError(fmt::format("{}: line {}: {}", path_.string(),
                              XML_GetCurrentLineNumber(parser_.get()), what));
}

// Exceptions must not pass through expat: they stop it and are thrown again by parse().
template <class F>
void GraphmlParser::guarded(void* self, F&& f) {
  auto& parser = *static_cast<GraphmlParser*>(self);
  if (parser.failure_) return;
  try {
    f(parser);
  } catch (...) {
    parser.failure_ = std::current_exception();
    XML_StopParser(parser.parser_.get(), XML_FALSE);
  }
}

void XMLCALL GraphmlParser::on_start(void* self, const XML_Char* name,
                                     const XML_Char** attributes) {
  guarded(self, [&](GraphmlParser& parser) {
    Attributes values;
    for (; *attributes != nullptr; attributes += 2) values[attributes[0]] = attributes[1];
    parser.start(local_name(name), values);
  });
}

void XMLCALL GraphmlParser::on_end(void* self, const XML_Char* name) {
  guarded(self, [&](GraphmlParser& parser) { parser.end(local_name(name)); });
}

void XMLCALL GraphmlParser::on_text(void* self, const XML_Char* text, int length) {
  guarded(self, [&](GraphmlParser& parser) {
    parser.text({text, static_cast<std::size_t>(length)});
  });
}

void XMLCALL GraphmlParser::on_doctype(void* self, const XML_Char*, const XML_Char*,
                                       const XML_Char*, int) {
  guarded(self, [](GraphmlParser& parser) {
    parser.fail(
        "has a document type (<!DOCTYPE ...>), whose entities stkr does not expand; remove it");
  });
}

void GraphmlParser::parse() {
  ByteSource source(path_);
  constexpr std::size_t kPart = 1 << 16;
  for (bool last = false; !last;) {
    void* part = XML_GetBuffer(parser_.get(), kPart);
    if (part == nullptr) throw std::bad_alloc();
    const std::size_t count = source.read(static_cast<char*>(part), kPart);
    last = count < kPart;
    const auto status = XML_ParseBuffer(parser_.get(), static_cast<int>(count), last ? 1 : 0);
    if (failure_) std::rethrow_exception(failure_);
    if (status != XML_STATUS_OK) {
      const XML_Error error = XML_GetErrorCode(parser_.get());
      if (error == XML_ERROR_NO_MEMORY) throw std::bad_alloc();
      fail(fmt::format("is not well-formed XML: {}{}", XML_ErrorString(error),
                       last ? "; is the file truncated?" : ""));
    }
  }
  if (!has_graph_) {
    throw DataError(fmt::format("{}: has no <graph>, expected GraphML", path_.string()));
  }
}

const std::string& GraphmlParser::required(const Attributes& attributes, const char* name,
                                           const char* element) const {
  const auto found = attributes.find(name);
  if (found == attributes.end()) fail(fmt::format("<{}> has no attribute {}", element, name));
  return found->second;
}

void GraphmlParser::start(std::string_view element, const Attributes& attributes) {
  ++depth_;
  if (ignored_below_ != 0) return;
  if (element == "graphml" || element == "desc") return;
  if (element == "key") return start_key(attributes);
  if (element == "default") {
    value_.clear();
    collected_ = inside_ == Inside::key ? &value_ : nullptr;
    return;
  }
  if (element == "graph") return start_graph(attributes);
  if (element == "node") return start_node(attributes);
  if (element == "edge") return start_edge(attributes);
  if (element == "data") return start_data(attributes);
  if (element == "hyperedge") fail("has a hyperedge, expected edges of two nodes");
  ignored_below_ = depth_;  // ports, and elements of other programs
}

void GraphmlParser::end(std::string_view element) {
  if (ignored_below_ == depth_) ignored_below_ = 0;
  --depth_;
  if (ignored_below_ != 0) return;
  if (element == "default" && collected_ != nullptr) {
    const std::string text(trimmed(value_));
    if (key_of_nodes_) node_keys_[key_].default_value = text;
    if (key_of_weights_) default_weight_ = number(text);
    collected_ = nullptr;
  } else if (element == "data") {
    end_data();
  } else if (element == "key" || element == "node" || element == "edge") {
    inside_ = Inside::nothing;
  }
}

void GraphmlParser::text(std::string_view part) {
  if (collected_ == nullptr || ignored_below_ != 0) return;
  if (collected_->size() + part.size() > kLongestValue) {
    fail(fmt::format("has a value of more than {} bytes", kLongestValue));
  }
  collected_->append(part);
}

void GraphmlParser::start_key(const Attributes& attributes) {
  if (has_graph_ && seen_node_) {
    fail("declares a <key> after the first node; expected all keys before the graph");
  }
  inside_ = Inside::key;
  const std::string& id = required(attributes, "id", "key");
  const auto named = attributes.find("attr.name");
  const auto wanted = attributes.find("for");
  const std::string target = wanted == attributes.end() ? "all" : wanted->second;
  const std::string& name = named == attributes.end() ? id : named->second;
  key_of_nodes_ = target == "node" || target == "all";
  key_of_weights_ = (target == "edge" || target == "all") && lower_case(name) == "weight";
  if (key_of_nodes_) {
    // NetworkX declares an attribute once per type of its values.
    const auto same = std::find_if(node_keys_.begin(), node_keys_.end(),
                                   [&](const GraphmlKey& key) { return key.name == name; });
    key_ = static_cast<std::size_t>(same - node_keys_.begin());
    if (!node_key_of_.emplace(id, key_).second) {
      fail(fmt::format("declares the key '{}' again", printable(id)));
    }
    if (same == node_keys_.end()) node_keys_.push_back({.name = name, .default_value = {}});
  }
  if (target == "edge" || target == "all") edge_key_of_.emplace(id, key_of_weights_);
}

void GraphmlParser::start_graph(const Attributes& attributes) {
  if (has_graph_) fail("has a second <graph>, or one inside a node; expected a single graph");
  has_graph_ = true;
  const auto found = attributes.find("edgedefault");
  directed_default_ = found != attributes.end() && found->second == "directed";
}

void GraphmlParser::decide_kept() {
  seen_node_ = true;
  for (GraphmlKey& key : node_keys_) key.kept = keep_(key.name, context_);
}

std::int32_t GraphmlParser::place(const std::string& id) {
  const auto [entry, added] =
      place_of_.try_emplace(id, static_cast<std::int32_t>(place_of_.size()));
  if (added) {
    if (id.size() > kLongestId) {
      fail(fmt::format("has a node id with {} bytes, expected at most {}", id.size(), kLongestId));
    }
    if (place_of_.size() == std::numeric_limits<std::int32_t>::max()) fail("has too many nodes");
    declared_.push_back(0);
    order_.push_back(-1);
    first_mention_.emplace(entry->second, XML_GetCurrentLineNumber(parser_.get()));
  }
  return entry->second;
}

void GraphmlParser::start_node(const Attributes& attributes) {
  if (!has_graph_) fail("has a node outside a graph");
  if (!seen_node_) decide_kept();
  const std::string& id = required(attributes, "id", "node");
  const auto at = static_cast<std::size_t>(place(id));
  if (declared_[at] != 0) {
    fail(fmt::format("declares the node '{}' again, as in line {}", printable(id), declared_[at]));
  }
  declared_[at] = XML_GetCurrentLineNumber(parser_.get());
  first_mention_.erase(static_cast<std::int32_t>(at));
  order_[at] = static_cast<std::int32_t>(ids_.size());
  ids_.push_back(id);
  for (GraphmlKey& key : node_keys_) {
    if (key.kept) key.values.emplace_back();
  }
  inside_ = Inside::node;
}

void GraphmlParser::start_edge(const Attributes& attributes) {
  if (!has_graph_) fail("has an edge outside a graph");
  const auto direction = attributes.find("directed");
  const bool one_way =
      direction == attributes.end() ? directed_default_ : direction->second == "true";
  directed_ = directed_ || one_way;
  const std::int32_t from = place(required(attributes, "source", "edge"));
  const std::int32_t to = place(required(attributes, "target", "edge"));
  edges_.push_back({from, to, default_weight_});
  inside_ = Inside::edge;
}

void GraphmlParser::start_data(const Attributes& attributes) {
  collected_ = nullptr;
  data_key_.reset();
  data_is_weight_ = false;
  if (inside_ != Inside::node && inside_ != Inside::edge) return;
  const std::string& id = required(attributes, "key", "data");
  value_.clear();
  if (inside_ == Inside::node) {
    const auto found = node_key_of_.find(id);
    if (found == node_key_of_.end()) {
      fail(fmt::format("has data of the key '{}', which is not declared for nodes", printable(id)));
    }
    if (node_keys_[found->second].kept) data_key_ = found->second;
  } else {
    const auto found = edge_key_of_.find(id);
    if (found == edge_key_of_.end()) {
      fail(fmt::format("has data of the key '{}', which is not declared for edges", printable(id)));
    }
    data_is_weight_ = found->second;
  }
  if (data_key_ || data_is_weight_) collected_ = &value_;
}

void GraphmlParser::end_data() {
  if (collected_ == nullptr) return;
  collected_ = nullptr;
  const std::string text(trimmed(value_));
  if (data_key_) node_keys_[*data_key_].values.back() = text;
  if (data_is_weight_) edges_.back().value = number(text);
}

double GraphmlParser::number(const std::string& weight) const {
  const auto value = parse_number(weight);
  if (!value || !std::isfinite(*value) || *value < 0.0) {
    fail(fmt::format("weight '{}', expected a finite number ≥ 0", printable(weight.substr(0, 40))));
  }
  return *value;
}

std::vector<Triplet> GraphmlParser::take_edges() {
  if (!first_mention_.empty()) {
    const auto first =
        std::min_element(first_mention_.begin(), first_mention_.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string id;
    for (const auto& [name, at] : place_of_) {
      if (at == first->first) id = name;
    }
    throw DataError(fmt::format("{}: line {}: an edge has the node '{}', which is not declared",
                                path_.string(), first->second, printable(id)));
  }
  for (Triplet& edge : edges_) {
    edge.row = order_[static_cast<std::size_t>(edge.row)];
    edge.column = order_[static_cast<std::size_t>(edge.column)];
  }
  return std::move(edges_);
}

std::optional<std::string> GraphmlParser::value(const GraphmlKey& key, Index node) const {
  const auto& own = key.values[static_cast<std::size_t>(node)];
  return own ? own : key.default_value;
}

}  // namespace stkr::detail
