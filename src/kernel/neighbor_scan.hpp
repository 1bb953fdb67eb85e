#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "candidate_lists.hpp"
#include "stkr/matrix.hpp"
#include "stkr/runtime/context.hpp"

// Finds candidates for nearest neighbors by matrix products. The value of y for x is ‖y‖²/2 -
// <x,y>, which orders the y by their distance to x.
namespace stkr {

class ReachLists;

// A view of points, one per row, with ‖x‖²/2.
template <class Scalar>
struct ScanPoints {
  const Scalar* data = nullptr;
  Index count = 0;
  Index features = 0;
  const Scalar* half_norms = nullptr;
  std::int32_t first = 0;  // the number of the first point, as candidates are numbered

  const Scalar* row(Index i) const { return data + i * features; }
  ScanPoints slice(Index begin, Index length) const {
    return {row(begin), length, features, half_norms + begin,
            first + static_cast<std::int32_t>(begin)};
  }
};

// ‖x‖²/2 of each row, and a view that uses them.
std::vector<float> half_norms_of(const MatrixF& points);
ScanPoints<float> view(const MatrixF& points, const std::vector<float>& half_norms);

// ‖x - y‖ in double precision, bit-identical if x and y are swapped, and on every machine and
// device: term k is added to sum k mod 8, without fused operations, and the sums are added in a
// fixed order.
double distance(const float* x, const float* y, Index features);

// out = X Yᵀ for the rows [x, x + rows) and [y, y + columns): rows × columns, without gaps. Runs on
// the calling thread; the caller must hold a detail::SerialBlas.
void inner_products(const float* x, Index rows, const float* y, Index columns, Index features,
                    float* out);
void inner_products(const double* x, Index rows, const double* y, Index columns, Index features,
                    double* out);

// Offers the columns of one row of inner products, except `skip`, to the list of point i. `index`
// numbers the columns; null means `first`, `first` + 1, ...
template <class Scalar>
void offer_row(CandidateLists<Scalar>& lists, Index i, const Scalar* products,
               const Scalar* half_norms, Index columns, const std::int32_t* index,
               std::int32_t first, Index skip);

// Compares every point with every other; each tile of products serves both sides. List i is that of
// points.row(i).
void scan_all_pairs(ScanPoints<float> points, CandidateLists<float>& lists, int threads,
                    std::stop_token cancel, const ProgressSink& progress = {});

// The same for the pairs of two sets of points without common points. The list of row i is row_list
// + i of `row_lists`, that of column j column_list + j of `column_lists`.
void scan_pairs(ScanPoints<float> rows, ScanPoints<float> columns, CandidateLists<float>& row_lists,
                Index row_list, CandidateLists<float>& column_lists, Index column_list, int threads,
                std::stop_token cancel);

// Compares queries with points. skip[q], if given, is the number of a point that query q must not
// find.
template <class Scalar>
void scan_queries(ScanPoints<Scalar> queries, ScanPoints<Scalar> points,
                  std::span<const Index> skip, CandidateLists<Scalar>& lists, int threads,
                  std::stop_token cancel);

// Does the same and also collects, in the same pass, the points that reach each query.
void scan_queries(ScanPoints<float> queries, ScanPoints<float> points, CandidateLists<float>& lists,
                  ReachLists& reached, int threads, std::stop_token cancel);

}  // namespace stkr
