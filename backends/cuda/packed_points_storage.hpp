#pragma once

#include <cstdint>
#include <vector>

#include "device_memory.hpp"
#include "packed_points.hpp"
#include "packed_points_layout.hpp"

namespace stkr::cuda {

// The device arrays of packed points. Only those of the layout are filled.
struct PackedStorage {
  std::size_t rows = 0;  // padded
  HalfLayout half;
  FullLayout full;
  DeviceArray<std::uint16_t> leading;   // half_tiles
  DeviceArray<std::uint16_t> trailing;  // half_tiles of half3
  DeviceArray<double> values64;         // full_tiles; plain64: feature-major; features64: row-major
  DeviceArray<float> values32;          // plain32, features32
  DeviceArray<double> norms;    // euclidean: ‖x‖²/2 of rounded points; polynomial: √|c₀|/r
  DeviceArray<double> weights;  // polynomial: r^degree with r² = |γ|‖x‖² + |c₀|
  std::vector<double> center;   // empty: not centered
  double largest_norm = 0.0;

  std::uint64_t bytes() const {
    return 2 * (leading.size() + trailing.size()) + 4 * values32.size() +
           8 * (values64.size() + norms.size() + weights.size());
  }
};

// Whether the current device has wgmma (compute capability 9.0) and this library code for it; and
// the device's number of multiprocessors.
bool device_has_wgmma();
int device_multiprocessors();

}  // namespace stkr::cuda
