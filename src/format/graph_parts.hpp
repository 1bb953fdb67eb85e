#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/npz.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr {

// A graph in a folder: rows of its adjacency matrix in several archives, each as
// scipy.sparse.save_npz writes a CSR matrix, and everything else that an .npz file of a graph has
// (labels, names, features) in samples.npz. parts.json lists the files in the order of their rows:
//
//   {"format": "stkr graph parts", "version": 1, "shape": [4, 4], "entries": 6,
//    "parts": [{"file": "part-0000.npz", "rows": 3, "entries": 5, "bytes": 1222,
//               "crc32": {"data": 1, "indices": 2, "indptr": 3}}, ...],
//    "samples": {"file": "samples.npz", "bytes": 400, "crc32": {"labels": 4}}}
//
// "bytes" and "crc32" (of arrays, as the archives' directories have them) may be missing, and so
// may "samples". They detect files of different conversions without reading them.
struct GraphPart {
  std::string file;
  Index rows = 0;
  Index entries = 0;
  std::optional<std::uint64_t> bytes{};
  std::map<std::string, std::uint32_t> crc{};
  Index first_row = 0;  // rows and entries of the parts before
  Index first_entry = 0;
};

// Reads any rows from the parts that have them. Throws DataError, with the file, for parts that are
// missing or do not agree with parts.json.
class GraphParts {
 public:
  static constexpr const char* kManifest = "parts.json";
  static bool is_folder(const std::filesystem::path& path);  // with a parts.json

  explicit GraphParts(const std::filesystem::path& folder);

  Index nodes() const { return nodes_; }
  Index entries() const { return entries_; }
  const std::vector<GraphPart>& parts() const { return parts_; }
  // Of parts.json.
  std::uint64_t checksum() const { return checksum_; }

  // The entries of all rows before this one.
  Index entries_before(Index row) const;
  // Columns count all nodes; they may be unsorted and occur twice.
  CsrMatrix rows(Index first, Index count) const;
  // The archive with everything but the matrix, if there is one.
  std::optional<NpzReader> samples() const;

 private:
  std::size_t part_of(Index row) const;
  NpzReader open(const GraphPart& part) const;
  const NpzReader& opened(std::size_t part) const;

  std::filesystem::path folder_;
  Index nodes_ = 0, entries_ = 0;
  std::vector<GraphPart> parts_;
  std::optional<GraphPart> samples_;
  std::uint64_t checksum_ = 0;
  // The part that was read last.
  mutable std::optional<std::pair<std::size_t, NpzReader>> open_;
};

// Writes such a folder, under another name until it is complete. Throws WriteError, and if
// `folder` exists and is not empty.
class GraphPartsWriter {
 public:
  GraphPartsWriter(std::filesystem::path folder, Index nodes);
  ~GraphPartsWriter();
  GraphPartsWriter(const GraphPartsWriter&) = delete;
  GraphPartsWriter& operator=(const GraphPartsWriter&) = delete;

  // The next rows, as a part.
  void add(const CsrMatrix& rows);
  // Where to write samples.npz before commit(), if there is anything for it.
  std::filesystem::path samples() const;
  void commit();

 private:
  std::filesystem::path folder_, partial_;
  Index nodes_ = 0, rows_ = 0, entries_ = 0;
  std::vector<GraphPart> parts_;
};

}  // namespace stkr
