#pragma once

#include "neighbor_scan.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"

// The approximate search: points fall into cells around centers, a point looks only into the cells
// whose centers are nearest to it.
namespace stkr {

// Cells for the points, and how many a point must look into to find the share `options.recall` of
// its k nearest: decided on a sample of points whose neighbors are found exactly.
NeighborCells make_cells(ScanPoints<float> points, const NeighborOptions& options);

// Offers to each query the points in the cells it looks into. skip as in scan_queries; `reached`,
// where given, is offered the same points.
void scan_cells(ScanPoints<float> queries, ScanPoints<float> points, const NeighborCells& cells,
                std::span<const Index> skip, CandidateLists<float>& lists, ReachLists* reached,
                int threads, std::stop_token cancel);

}  // namespace stkr
