#include "dataset/graphml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_set>

#include "dataset/graphml_parser.hpp"
#include "dataset/listed_edges.hpp"
#include "format/csv_records.hpp"
#include "format/number_text.hpp"
#include "format/utf8.hpp"
#include "runtime/suggestion.hpp"
#include "stkr/error.hpp"

namespace stkr {
namespace {

using detail::GraphmlKey;
using detail::GraphmlParser;

// The attributes that may be needed.
struct WantedAttributes {
  std::string labels;
  std::vector<std::string> features;

  explicit WantedAttributes(const LoadOptions& options) : labels(options.labels) {
    std::error_code absent;
    if (options.features_file.empty() || std::filesystem::exists(options.features_file, absent)) {
      return;
    }
    std::string_view rest = options.features_file;
    while (!rest.empty()) {
      const std::string_view name = rest.substr(0, rest.find(','));
      features.emplace_back(detail::trimmed(name));
      rest.remove_prefix(std::min(rest.size(), name.size() + 1));
    }
  }

  static bool keeps(const std::string& name, const void* context) {
    const auto& self = *static_cast<const WantedAttributes*>(context);
    return name == "name" || self.is_label(name) ||
           std::find(self.features.begin(), self.features.end(), name) != self.features.end();
  }

  bool is_label(const std::string& name) const {
    if (!labels.empty()) return name == labels;
    const std::string lower = detail::lower_case(name);
    return lower == "label" || lower == "class" || lower == "target";
  }
};

bool all_differ(const std::vector<std::string>& values) {
  std::unordered_set<std::string_view> seen;
  return std::all_of(values.begin(), values.end(),
                     [&](const std::string& value) { return seen.insert(value).second; });
}

// Whether the ids are 0, 1, ... or n0, n1, ...
bool are_numbers(const std::vector<std::string>& ids) {
  const bool prefixed = !ids.empty() && ids.front() == "n0";
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] != fmt::format("{}{}", prefixed ? "n" : "", i)) return false;
  }
  return true;
}

// The values of a key; nothing for nodes without one.
std::vector<std::string> values_of(const GraphmlParser& parser, const GraphmlKey& key) {
  std::vector<std::string> values;
  for (Index node = 0; node < parser.nodes(); ++node) {
    values.push_back(parser.value(key, node).value_or(""));
  }
  return values;
}

void name_nodes(const GraphmlParser& parser, GraphmlGraph& result) {
  for (const GraphmlKey& key : parser.node_keys()) {
    if (key.name != "name") continue;
    std::vector<std::string> names = values_of(parser, key);
    const bool complete = std::none_of(names.begin(), names.end(),
                                       [](const std::string& name) { return name.empty(); });
    if (complete && all_differ(names)) {
      result.notes.push_back(
          fmt::format("nodes are named by their attribute name, from {} to {}, not by their ids",
                      printable(names.front()), printable(names.back())));
      result.graph.node_names = std::move(names);
      return;
    }
    result.notes.emplace_back(
        "nodes are named by their ids, since their attribute name is missing or the same for some");
  }
  if (!are_numbers(parser.ids())) result.graph.node_names = parser.ids();
}

void find_label_attribute(const GraphmlParser& parser, const WantedAttributes& wanted,
                          GraphmlGraph& result) {
  for (const GraphmlKey& key : parser.node_keys()) {
    if (!wanted.is_label(key.name) || !result.label_attribute.empty()) continue;
    std::vector<std::string> cells = values_of(parser, key);
    std::vector<std::string> given = cells;
    std::erase_if(given, [](const std::string& cell) { return detail::is_missing(cell); });
    if (wanted.labels.empty() && given.size() > 1 && all_differ(given)) {
      result.notes.push_back(
          fmt::format("the attribute {} is different for every node, so it is not read as classes; "
                      "--labels {} would",
                      printable(key.name), printable(key.name)));
      continue;
    }
    result.label_attribute = key.name;
    result.label_cells = std::move(cells);
  }
}

void read_attribute_features(const GraphmlParser& parser, const WantedAttributes& wanted,
                             const std::string& where, GraphmlGraph& result) {
  if (wanted.features.empty()) return;
  Matrix values(parser.nodes(), static_cast<Index>(wanted.features.size()));
  for (std::size_t k = 0; k < wanted.features.size(); ++k) {
    const std::string& name = wanted.features[k];
    const auto& keys = parser.node_keys();
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const GraphmlKey& each) { return each.name == name; });
    if (key == keys.end()) {
      throw DataError(fmt::format(
          "{}: features '{}': no such file or node attribute; the nodes have {}{}", where,
          printable(name), printable(fmt::format("{}", fmt::join(result.attributes, ", "))),
          suggestion(name, result.attributes)));
    }
    for (Index node = 0; node < parser.nodes(); ++node) {
      const std::string text = parser.value(*key, node).value_or("");
      const bool yes = text == "true", no = text == "false";
      const auto number = yes || no ? std::optional(yes ? 1.0 : 0.0) : detail::parse_number(text);
      if (!number || !std::isfinite(*number)) {
        throw DataError(fmt::format(
            "{}: node '{}': attribute {} is '{}', expected a finite number for a feature", where,
            printable(parser.ids()[static_cast<std::size_t>(node)]), printable(name),
            printable(text.substr(0, 40))));
      }
      values(node, static_cast<Index>(k)) = *number;
    }
  }
  result.features = Points{.values = std::move(values), .feature_names = wanted.features};
}

}  // namespace

GraphmlGraph load_graphml(const std::filesystem::path& path, const LoadOptions& options) {
  const std::string where = path.string();
  const WantedAttributes wanted(options);
  GraphmlParser parser(path, WantedAttributes::keeps, &wanted);
  parser.parse();
  if (parser.nodes() == 0) {
    throw DataError(fmt::format("{}: the graph has no nodes", where));
  }
  GraphmlGraph result;
  for (const GraphmlKey& key : parser.node_keys()) result.attributes.push_back(key.name);
  name_nodes(parser, result);
  find_label_attribute(parser, wanted, result);
  read_attribute_features(parser, wanted, where, result);
  std::vector<Triplet> edges = parser.take_edges();
  if (parser.directed() && !options.symmetrize) {
    throw DataError(
        fmt::format("{}: the graph is directed; make it undirected when it is written, or with "
                    "--symmetrize, which uses the larger weight of the two directions",
                    where));
  }
  ListedEdges listed{.edges = std::move(edges),
                     .duplicates = options.duplicates,
                     .directed = parser.directed(),
                     .where = where,
                     .edge_name = edge_namer(result.graph.node_names)};
  result.graph.adjacency = undirected_adjacency(parser.nodes(), std::move(listed), result.notes);
  return result;
}

}  // namespace stkr
