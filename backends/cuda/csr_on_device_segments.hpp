#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "csr_on_device_kernels.hpp"

namespace stkr::cuda::kernels {

// The long rows of a matrix and their segments, on the host: rows of several segments come first,
// because those need partial sums.
struct CsrSegments {
  explicit CsrSegments(std::span<const std::int64_t> row_start) {
    const auto append = [&](bool several) {
      for (std::size_t i = 0; i + 1 < row_start.size(); ++i) {
        const std::int64_t length = row_start[i + 1] - row_start[i];
        if (length <= csr_long_row || (length > csr_segment) != several) continue;
        first_segment.push_back(static_cast<std::int64_t>(segment_row.size()));
        segment_row.insert(segment_row.end(),
                           static_cast<std::size_t>((length + csr_segment - 1) / csr_segment),
                           static_cast<std::int32_t>(long_row.size()));
        long_row.push_back(static_cast<std::int32_t>(i));
      }
    };
    append(true);
    split_rows = static_cast<std::int64_t>(long_row.size());
    split_segments = static_cast<std::int64_t>(segment_row.size());
    append(false);
    first_segment.push_back(static_cast<std::int64_t>(segment_row.size()));
  }

  std::vector<std::int32_t> long_row;
  std::vector<std::int32_t> segment_row;    // the number of its long row, by segment
  std::vector<std::int64_t> first_segment;  // by long row, and the number of segments at the end
  std::int64_t split_rows, split_segments;
};

}  // namespace stkr::cuda::kernels
