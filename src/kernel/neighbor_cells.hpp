#pragma once

#include "neighbor_scan.hpp"
#include "stkr/kernel/nearest_neighbors.hpp"
#include "stkr/runtime/context.hpp"

// The approximate search: points are assigned to cells around centers, and a query searches only
// the cells with the nearest centers.
namespace stkr {

// With fewer points, cells cost more than they save.
inline constexpr Index kCellsFrom = 2000;

// Makes cells for the points and determines how many a query must search to find the fraction
// `options.recall` of its k nearest, on a sample of points whose neighbors are found exactly.
NeighborCells make_cells(ScanPoints<float> points, const NeighborOptions& options,
                         const Context& context);

// Offers to each query the points in its cells. `skip` is as in scan_queries; `reached`, if given,
// is offered the same points.
void scan_cells(ScanPoints<float> queries, ScanPoints<float> points, const NeighborCells& cells,
                std::span<const Index> skip, CandidateLists<float>& lists, ReachLists* reached,
                int threads, std::stop_token cancel, const ProgressSink& progress = {});

}  // namespace stkr
