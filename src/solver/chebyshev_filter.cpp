#include "chebyshev_filter.hpp"

#include <cmath>

namespace stkr {

double ChebyshevFilter::rate(double eigenvalue) const {
  const double t = (2.0 * eigenvalue - lower - cut) / (cut - lower);
  return t > 1.0 ? std::acosh(t) : 0.0;
}

// The scaled recurrence of Zhou, Saad, Tiago and Chelikowsky (2006), Algorithm 3.2, in place: each
// step overwrites the older of two blocks.
void ChebyshevFilter::apply(const LinearOperator& op, int degree, MatrixRef x) const {
  const double center = 0.5 * (lower + cut);
  const double half = 0.5 * (cut - lower);
  const double tau = 2.0 * (top - center) / half;
  double sigma = half / (top - center);
  // Contiguous copies: the rows of a panel of a wide block are far apart.
  Matrix older = x;
  Matrix newer(x.rows(), x.cols());
  op.apply_step(sigma / half, older, -center * sigma / half, 0.0, newer);
  for (int k = 2; k <= degree; ++k) {
    const double sigma_next = 1.0 / (tau - sigma);
    const double a = 2.0 * sigma_next / half;
    op.apply_step(a, newer, -center * a, -sigma * sigma_next, older);
    older.swap(newer);
    sigma = sigma_next;
  }
  x = newer;
}

}  // namespace stkr
