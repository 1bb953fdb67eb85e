#pragma once

#include <cstdint>
#include <span>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Data sets made from a seed, all samples labeled: hide labels with keep_only and splits.hpp. The
// same arguments give the same numbers on every platform.

// Two interleaved half circles of radius 1 in the plane; class 0 above, class 1 below. `noise` is
// the standard deviation added to each coordinate.
Dataset two_moons(Index samples, double noise, std::uint64_t seed);

// Two circles around the origin: class 0 of radius 1, class 1 of radius `factor` in (0, 1).
Dataset circles(Index samples, double noise, double factor, std::uint64_t seed);

// A sheet rolled up in space (Marsland 2009), x = t cos t, y uniform in [0, 21], z = t sin t. The
// target is the angle t in [3π/2, 9π/2]; with `classes` > 0 it is cut into that many classes of
// equal width instead.
Dataset swiss_roll(Index samples, double noise, std::uint64_t seed, int classes = 0);

// A graph in which two nodes are joined with probability p_in when they are of one block, and p_out
// otherwise; the block is the class. Time is proportional to nodes + blocks² + edges (Batagelj and
// Brandes, Physical Review E 71, 2005), not to pairs.
Dataset stochastic_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               std::uint64_t seed);

// A block model with node features in which neither view tells all classes apart. With q = ⌈√B⌉ for
// B blocks, blocks c and c' of one row ⌊c/q⌋ form one community of the graph (p_in inside, p_out
// across), and blocks of one column c mod q have features around the same corner e_(c mod q) of a
// simplex, `noise` being the standard deviation of each of the `features` ≥ q numbers.
Dataset attributed_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               Index features, double noise, std::uint64_t seed);

}  // namespace stkr
