#pragma once

#include "neighbour_scan.hpp"
#include "stkr/kernel/nearest_neighbours.hpp"

// The approximate search: points fall into cells around centres, a point looks only into the cells
// whose centres are nearest to it.
namespace stkr {

// Cells for the points, and how many a point must look into to find the share `options.recall` of
// its k nearest: decided on a sample of points whose neighbours are found exactly.
NeighbourCells make_cells(ScanPoints<float> points, const NeighbourOptions& options);

// Offers to each query the points in the cells it looks into. skip as in scan_queries; `reached`,
// where given, is offered the same points.
void scan_cells(ScanPoints<float> queries, ScanPoints<float> points, const NeighbourCells& cells,
                std::span<const Index> skip, CandidateLists<float>& lists, ReachLists* reached,
                int threads, std::stop_token cancel);

}  // namespace stkr
