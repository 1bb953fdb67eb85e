#pragma once

#include "packed_points_layout.hpp"

// Which tiles of a symmetric kernel matrix a block of threads evaluates, and in which order partial
// results are added: the same in every run, without waiting for the whole matrix.
//
// The matrix has n × n blocks. Row block i meets column blocks i, i+1, ... (mod n): `distances` of
// them, so that every pair of blocks is met once and all rows have equal work. A tile at distance δ
// adds to the rows of i and, transposed, to those of j = i + δ. The distances are divided into
// `strips`; unit u = strip · n + i is done by worker u % workers in its round u / workers, and the
// units of a round run side by side. Sums of a strip are kept apart from those of the others.
//
// Within a strip, the additions to column block j happen in order of (round, δ). A worker goes
// through its tiles in the same order, so the earliest tile that is not finished never waits: no
// deadlock as long as all workers run at once. Neighboring workers meet the same column block one
// distance apart, so that they rarely wait.
namespace stkr::cuda {

struct TileSchedule {
  int row_blocks = 0;     // n
  int column_blocks = 0;  // n if symmetric
  int distances = 0;      // column blocks per row block, over all strips
  int transposed = 0;     // the distances 1...transposed are also added to the columns
  int strips = 1;
  int workers = 1;
  bool symmetric = false;

  STKR_HOST_DEVICE int units() const { return strips * row_blocks; }
  STKR_HOST_DEVICE int strip_begin(int strip) const {
    return static_cast<int>(static_cast<long long>(distances) * strip / strips);
  }
  STKR_HOST_DEVICE int column_block(int row_block, int distance) const {
    if (!symmetric) return distance;
    const int block = row_block + distance;
    return block < column_blocks ? block : block - column_blocks;
  }
  STKR_HOST_DEVICE bool adds_to_columns(int distance) const {
    return distance >= 1 && distance <= transposed;
  }

  // How many additions to column block i + distance come before that of unit (strip, i).
  STKR_HOST_DEVICE int turn(int strip, int row_block, int distance) const {
    const int column = column_block(row_block, distance);
    const int first_unit = strip * row_blocks;
    const int round_begin = (first_unit + row_block) / workers * workers - first_unit;
    const int round_end = round_begin + workers;
    int begin = strip_begin(strip);
    int end = strip_begin(strip + 1);
    if (begin < 1) begin = 1;
    if (end > transposed + 1) end = transposed + 1;
    return rows_at(column, 0, round_begin, begin, end) +
           rows_at(column, round_begin, round_end, begin, distance);
  }

  static TileSchedule symmetric_tiles(int blocks, int workers, int strips) {
    TileSchedule schedule;
    schedule.row_blocks = schedule.column_blocks = blocks;
    // With an even number of blocks the pairs n/2 apart are met twice, each time for its rows only.
    schedule.distances = blocks / 2 + 1;
    schedule.transposed = (blocks - 1) / 2;
    schedule.symmetric = true;
    schedule.strips = strips < schedule.distances ? strips : schedule.distances;
    schedule.workers = workers < schedule.units() ? workers : schedule.units();
    return schedule;
  }
  static TileSchedule all_tiles(int row_blocks, int column_blocks, int workers, int strips) {
    TileSchedule schedule;
    schedule.row_blocks = row_blocks;
    schedule.column_blocks = schedule.distances = column_blocks;
    schedule.strips = strips < column_blocks ? strips : column_blocks;
    schedule.workers = workers < schedule.units() ? workers : schedule.units();
    return schedule;
  }

 private:
  // The number of row blocks in [row_begin, row_end) whose distance to `column` is in [begin, end).
  STKR_HOST_DEVICE int rows_at(int column, int row_begin, int row_end, int begin, int end) const {
    if (row_begin < 0) row_begin = 0;
    if (row_end > row_blocks) row_end = row_blocks;
    if (begin >= end || row_begin >= row_end) return 0;
    // Rows column-end+1 ... column-begin, from -n up; negative ones stand for those n further on.
    const int low = column - end + 1;
    const int high = column - begin + 1;
    return overlap(low, high, row_begin, row_end) +
           overlap(low + row_blocks, high + row_blocks, row_begin, row_end);
  }
  STKR_HOST_DEVICE static int overlap(int a, int b, int c, int d) {
    const int low = a > c ? a : c;
    const int high = b < d ? b : d;
    return high > low ? high - low : 0;
  }
};

}  // namespace stkr::cuda
