#include <cmath>

#include "solver/chebyshev_filter_template.hpp"

namespace stkr {

double ChebyshevFilter::rate(double eigenvalue) const {
  const double t = (2.0 * eigenvalue - lower - cut) / (cut - lower);
  return t > 1.0 ? std::acosh(t) : 0.0;
}

template void ChebyshevFilter::apply(const LinearOperator&, int, MatrixRef, int) const;

}  // namespace stkr
