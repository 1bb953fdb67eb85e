#pragma once

#include <span>

#include "estimator/spectral_action.hpp"
#include "stkr/estimator/stkr.hpp"

// What fit_stkr reports about its own result.
namespace stkr {

// Checks Theorem 1 on the spectrum. If the gram only knows that the spectrum may be negative, a few
// steps of Lanczos decide: Ritz values lie inside the spectrum, so a negative one is proof.
void describe_fit(const GramOperator& gram, const SpectralAction& action,
                  const StkrOptions& options, const Context& context, FitSummary& summary);

// Recomputes the residual Aα - y = f̂ + nβα - y on the labeled samples, whatever the solver
// reported, since f̂ is available. (Richardson keeps the criterion of the paper's Algorithms 1 and
// 2.)
void judge_residual(const SharedRows* rows, std::span<const Index> labeled, ConstMatrixRef y,
                    const Vector& shifts, const StkrOptions& options, Fit& fit);

// An s that polynomials approximate poorly changes G_{K̂_s,n} by up to N times its error, and α by
// that over the ridge nβ.
void judge_approximation(const SpectralAction& action, Index size, Index labels,
                         const StkrOptions& options, FitSummary& summary);

}  // namespace stkr
