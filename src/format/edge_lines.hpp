#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text_file.hpp"

namespace stkr::detail {

// Reads the edges of a list, with nodes as text: two nodes and an optional weight per line, with
// the separator of the first line. Instead of a weight, a line may end with the attributes that
// NetworkX writes (edge_data.hpp). Lines that start with # or % are comments.
//
// The first line is skipped as a header only if it is `source target`, `from to`, `src dst`, `node1
// node2`, `node neighbor` or `new known`, in any case; also `u v` and `i j` if the nodes of the
// next line are numbers. Throws DataError with the line.
class EdgeLines {
 public:
  explicit EdgeLines(const std::filesystem::path& path) : lines_(path) {}
  // Only the lines that start in a range of the file. `head`, which has read the first edge of the
  // file, says how they are separated; there is no header after the start of the file.
  EdgeLines(const std::filesystem::path& path, TextRange range, const EdgeLines& head);

  bool next();  // false at the end
  const std::string& from() const { return fields_[0]; }
  const std::string& to() const { return fields_[1]; }
  double weight() const { return weight_; }
  std::size_t line() const { return line_; }
  bool has_header() const { return has_header_; }  // known with the first edge
  // N of a comment "# nodes N".
  std::optional<Index> announced_nodes() const { return announced_nodes_; }
  const LineReader& lines() const { return lines_; }

  [[noreturn]] void fail(const std::string& what) const;
  // Throws DataError unless the name of a node is UTF-8 and at most 1,000 bytes long.
  void check_node(const std::string& name) const;

 private:
  bool read_fields();  // of the next line that is not a comment
  bool skip_header();
  void read_comment(std::string_view line);
  void split(std::string_view line);
  void split_fields(std::string_view line);
  void read_weight();

  LineReader lines_;
  char separator_ = ' ';
  bool seen_line_ = false;
  bool seen_edge_ = false;
  bool has_header_ = false;
  std::size_t line_ = 0;
  std::vector<std::string> fields_;
  std::vector<std::string> next_fields_;  // of a line that was read ahead
  std::size_t next_line_ = 0;
  double weight_ = 1.0;
  std::optional<Index> announced_nodes_;
};

}  // namespace stkr::detail
