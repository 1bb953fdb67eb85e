#pragma once

#include <filesystem>
#include <variant>

#include "stkr/linop/csr_matrix.hpp"
#include "stkr/matrix.hpp"

namespace stkr {

// The exchange format of the NIST Matrix Market (Boisvert, Pozo and Remington 1996): `coordinate`
// matrices (real, integer or pattern) as sparse rows, `array` matrices as dense. General or
// symmetric; returns both halves of a symmetric matrix. Duplicate entries are added up, as the
// format specifies. Throws DataError with the line.
std::variant<CsrMatrix, Matrix> load_matrix_market(const std::filesystem::path& path);

// A matrix that equals its transpose is written as symmetric, with its lower half only.
void save_matrix_market(const std::filesystem::path& path, const CsrMatrix& matrix);
void save_matrix_market(const std::filesystem::path& path, ConstMatrixRef matrix);

}  // namespace stkr
