#pragma once

#include <cstdint>
#include <span>

#include "stkr/dataset/dataset.hpp"

namespace stkr {

// Synthetic data sets with all samples labeled; hide labels with keep_only and splits.hpp. The same
// arguments give the same values on every platform.

// Two interleaved half circles of radius 1 in the plane; class 0 above, class 1 below. `noise` is
// the standard deviation of the Gaussian noise added to each coordinate.
Dataset two_moons(Index samples, double noise, std::uint64_t seed);

// Two circles around the origin: class 0 with radius 1, class 1 with radius `factor` in (0, 1).
Dataset circles(Index samples, double noise, double factor, std::uint64_t seed);

// A rolled-up sheet in 3-D (Marsland 2009): x = t cos t, y uniform in [0, 21], z = t sin t. The
// target is the angle t in [3π/2, 9π/2]; if `classes` > 0, its range is divided into that many
// classes of equal width instead.
Dataset swiss_roll(Index samples, double noise, std::uint64_t seed, int classes = 0);

// A graph in which two nodes are connected with probability p_in if they are in the same block, and
// p_out otherwise; the block is the class. Time is proportional to nodes + blocks² + edges
// (Batagelj and Brandes, Physical Review E 71, 2005), not to the number of pairs.
Dataset stochastic_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               std::uint64_t seed);

// A block model with node features in which neither the graph nor the features alone separate all
// classes. With q = ⌈√B⌉ for B blocks, blocks with the same row ⌊c/q⌋ form one community of the
// graph (p_in inside, p_out across), and blocks with the same column c mod q have features around
// the same corner e_(c mod q) of a simplex. `noise` is the standard deviation of each of the
// `features` ≥ q features.
Dataset attributed_block_model(std::span<const Index> block_sizes, double p_in, double p_out,
                               Index features, double noise, std::uint64_t seed);

}  // namespace stkr
