#pragma once

#include <expat.h>

#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stkr/linop/csr_matrix.hpp"

namespace stkr::detail {

// An attribute of nodes: the <key>s with one name.
struct GraphmlKey {
  std::string name;                                     // attr.name, or the id
  std::optional<std::string> default_value;             // of <default>
  std::vector<std::optional<std::string>> values = {};  // one per node, if the key is kept
  bool kept = false;
};

// Collects nodes, edges and some node attributes while expat reads the file.
class GraphmlParser {
 public:
  // Which node attributes to keep is decided by their names, when all keys are known.
  using Keep = bool (*)(const std::string& name, const void* context);
  GraphmlParser(const std::filesystem::path& path, Keep keep, const void* context);

  void parse();

  Index nodes() const { return static_cast<Index>(ids_.size()); }
  const std::vector<std::string>& ids() const { return ids_; }  // in the order of the file
  std::vector<Triplet> take_edges();  // between nodes in that order; throws if one is not declared
  bool directed() const { return directed_; }
  const std::vector<GraphmlKey>& node_keys() const { return node_keys_; }
  // The value of a kept key for a node: its own, or the default.
  std::optional<std::string> value(const GraphmlKey& key, Index node) const;

 private:
  struct FreeParser {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };
  using Attributes = std::map<std::string, std::string>;

  [[noreturn]] void fail(const std::string& what) const;
  void start(std::string_view element, const Attributes& attributes);
  void end(std::string_view element);
  void text(std::string_view part);
  void start_key(const Attributes& attributes);
  void start_graph(const Attributes& attributes);
  void start_node(const Attributes& attributes);
  void start_edge(const Attributes& attributes);
  void start_data(const Attributes& attributes);
  void end_data();
  void decide_kept();
  double number(const std::string& weight) const;
  const std::string& required(const Attributes& attributes, const char* name,
                              const char* element) const;
  std::int32_t place(const std::string& id);

  template <class F>
  static void guarded(void* self, F&& f);
  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes);
  static void XMLCALL on_end(void* self, const XML_Char* name);
  static void XMLCALL on_text(void* self, const XML_Char* text, int length);
  static void XMLCALL on_doctype(void* self, const XML_Char*, const XML_Char*, const XML_Char*,
                                 int);

  std::filesystem::path path_;
  Keep keep_;
  const void* context_;
  std::unique_ptr<XML_ParserStruct, FreeParser> parser_;
  std::exception_ptr failure_;
  int depth_ = 0;
  int ignored_below_ = 0;  // depth of an element whose content is ignored; 0 for none

  std::vector<GraphmlKey> node_keys_;
  std::unordered_map<std::string, std::size_t> node_key_of_;  // by id
  std::unordered_map<std::string, bool> edge_key_of_;         // by id: is it the weight?
  double default_weight_ = 1.0;
  bool has_graph_ = false;
  bool seen_node_ = false;
  bool directed_default_ = false;
  bool directed_ = false;

  enum class Inside { nothing, key, node, edge };
  Inside inside_ = Inside::nothing;
  bool key_of_nodes_ = false, key_of_weights_ = false;
  std::size_t key_ = 0;                  // that is declared, among node_keys_
  std::string* collected_ = nullptr;     // where text goes
  std::string value_;                    // text of <data> or <default>
  std::optional<std::size_t> data_key_;  // of a node; or
  bool data_is_weight_ = false;          // of an edge

  std::unordered_map<std::string, std::int32_t> place_of_;  // ids in the order of first mention
  std::vector<std::size_t> declared_;                       // line, by place; 0 if not declared
  std::vector<std::int32_t> order_;                         // node of a declared place
  std::vector<std::string> ids_;
  std::vector<Triplet> edges_;
  std::unordered_map<std::int32_t, std::size_t> first_mention_;  // line, of places not declared yet
};

}  // namespace stkr::detail
