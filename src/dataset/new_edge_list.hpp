#pragma once

#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "dataset/new_edges.hpp"
#include "format/edge_lines.hpp"

namespace stkr::detail {

// Reads lines "new known [weight]", a few new nodes at a time; see open_new_edges. The number of
// nodes is M if there is a comment "# nodes M", else the largest node plus one or, if nodes have
// names, the number of names.
class NewEdgeList final : public NewEdgeStream {
 public:
  NewEdgeList(const std::filesystem::path& path, Index known, const NewEdgeOptions& options);

  CsrMatrix next(Index most) override;
  bool has_names() const override { return !known_.empty() && !options_.numbered; }
  std::span<const std::string> names() const override { return handed_out_; }
  double progress() const override;
  Index duplicates() const override { return duplicates_; }
  bool may_leave_out_nodes() const override { return true; }

 private:
  bool read_edge();
  std::int32_t new_node(const std::string& name);
  std::int32_t numbered_node(const std::string& name);
  std::int32_t known_node(const std::string& name) const;
  Index complete_nodes(Index most);
  std::string edge_name(const Triplet& edge, Index first) const;
  void count_nodes();

  EdgeLines edges_;
  Index known_count_;
  NewEdgeOptions options_;
  std::unordered_map<std::string_view, std::int32_t> known_;  // if known nodes have names
  std::vector<Triplet> pending_;                              // of nodes from first_ on
  Index first_ = 0;                                           // the next node to return
  Index rows_ = 0;  // one more than the largest node so far
  bool ended_ = false;
  Index duplicates_ = 0;
  // Names of new nodes from first_ on, with their rows, and hashes of the earlier names, whose
  // nodes are complete.
  std::unordered_map<std::string, std::int32_t> row_of_;
  std::deque<std::string> names_;
  std::unordered_set<std::size_t> complete_;
  std::vector<std::string> handed_out_;
};

}  // namespace stkr::detail
