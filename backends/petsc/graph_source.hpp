#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dataset/parsed.hpp"
#include "petsc_block.hpp"
#include "stkr/linop/csr_matrix.hpp"

namespace stkr::petsc {

// What a process has of an adjacency matrix: rows as the file has them, with columns of all N.
struct OwnRows {
  Layout layout;
  CsrMatrix rows;
};

// A file or folder with a graph, of which every process reads a part. Functions are called by all
// processes together and throw in all what any of them finds.
class GraphSource {
 public:
  virtual ~GraphSource() = default;

  // Called once.
  virtual OwnRows read(MPI_Comm comm) = 0;
  // In the first process alone, after read(): what the file holds besides the matrix.
  virtual detail::Parsed labels(const LoadOptions& options) const = 0;
};

// A graph whose rows can be read from where they are. Rows are shared so that every process has
// about as many entries plus rows (row_cuts).
class RowSource : public GraphSource {
 public:
  explicit RowSource(std::filesystem::path path) : path_(std::move(path)) {}
  OwnRows read(MPI_Comm comm) final;

 protected:
  const std::filesystem::path& where() const { return path_; }
  // Opens the file in this process. Throws DataError.
  virtual void open() = 0;
  virtual Index nodes() const = 0;
  // What must be the same in all processes: "a graph of 5 nodes ...".
  virtual std::string seen() const = 0;
  // The entries of all rows before this one.
  virtual Index entries_before(Index row) const = 0;
  virtual CsrMatrix rows(Index first, Index count) = 0;

 private:
  std::filesystem::path path_;
};

// The source for a file's format. Called by all processes together. Throws DataError, or
// ParameterError for a format that processes cannot share.
std::unique_ptr<GraphSource> graph_source(MPI_Comm comm, const std::filesystem::path& path,
                                          const LoadOptions& options);

// Throws DataError in all processes unless `seen` is the same in all of them.
void expect_same(MPI_Comm comm, const std::filesystem::path& path, const std::string& seen);

}  // namespace stkr::petsc
