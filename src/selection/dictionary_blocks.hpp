#pragma once

#include <span>
#include <string>
#include <vector>

#include "stkr/gram/gram_operator.hpp"
#include "stkr/runtime/context.hpp"
#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// K̂_s of the labeled samples, n × n and symmetric, for every transform of a dictionary. Inverse
// Laplacians share a block Krylov space (transformed_blocks), and all others the Chebyshev
// polynomials T_k(S) E, except for other reciprocals.
struct DictionaryBlocks {
  std::vector<Matrix> blocks;  // empty if it could not be computed
  long products = 0;           // of S with blocks of columns
  std::vector<std::string> warnings;
};

struct DictionaryOptions {
  double tolerance = 1e-9;                         // of solves and series, relative
  std::size_t block_bytes = std::size_t{1} << 30;  // for one N × n block; beyond that, batches
};

DictionaryBlocks dictionary_blocks(const GramOperator& gram, std::span<const Index> labeled,
                                   std::span<const SpectralTransform> dictionary,
                                   const DictionaryOptions& options = {},
                                   const Context& context = {});

}  // namespace stkr
