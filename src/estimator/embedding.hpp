#pragma once

#include "stkr/estimator/fit.hpp"
#include "stkr/runtime/context.hpp"

namespace stkr {

// The embedding of all N samples. Throws ValueError if fewer than d eigenvalues of S are positive
// and above its self term, and Cancelled if cancellation is requested.
SpectralEmbedding spectral_embedding(const GramOperator& gram, Index d,
                                     const Context& context = {});

}  // namespace stkr
