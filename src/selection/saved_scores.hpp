#pragma once

#include <string>
#include <vector>

#include "selection/scored_gram.hpp"

namespace stkr {

// The scores of a gram as blocks of a saved state (linop/saved_state), and back with the same bits.
// Throws DataError, with the state's name, for blocks that are no scores.
std::vector<Matrix> blocks_of(const ScoredGram& scored);
ScoredGram scored_gram_of(std::vector<Matrix> blocks, const std::string& name);

}  // namespace stkr
