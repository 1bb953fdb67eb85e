#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dataset/new_edges.hpp"
#include "dataset/point_stream.hpp"
#include "standard_input.hpp"
#include "stkr/model/model.hpp"

namespace stkr::app {

// Where new samples are, as given.
struct NewSampleOptions {
  std::string samples;   // NEW; empty: the fitted samples
  std::string features;  // of new nodes, for models with a kernel of features
  FormatOptions format;
  std::string key;  // of points in AnnData
  DuplicateEdges duplicates = DuplicateEdges::largest;
};

// Reads new samples in the form the model needs, one part at a time: memory does not grow with
// their number. A model with a sum of kernels needs one part per kernel: points are in NEW, or,
// with edges in NEW, in --features. The model must outlive this.
class NewSampleStream {
 public:
  NewSampleStream(const NewSampleOptions& options, const Model& model);

  NewSamples next();  // none are left if it is empty

  // What the names of the new samples are called, empty if they have none; the names of the last
  // part.
  std::string id_column() const;
  std::span<const std::string> names() const;

  std::vector<std::string> warnings() const;
  Index duplicates() const { return edges_ ? edges_->duplicates() : 0; }
  double progress() const { return points_ ? points_->progress() : edges_->progress(); }

 private:
  void match_features(const Model& model);
  CsrMatrix edges_beside(Index nodes);

  std::vector<std::string> kinds_;
  std::string edges_path_, points_path_;
  const TableEncoding* encoding_;
  std::unique_ptr<NewEdgeStream> edges_;
  std::unique_ptr<PointStream> points_;
  std::vector<Index> order_;
  Index nodes_ = 0;  // whose features have been read
};

}  // namespace stkr::app
