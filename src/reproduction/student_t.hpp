#pragma once

namespace stkr {

// Returns t such that a Student t variable with `degrees` degrees of freedom, not necessarily
// whole, lies in [-t, t] with this probability: 2.262 for 0.95 and 9. Throws ValueError unless
// 0 < probability < 1 and degrees > 0.
double student_t_quantile(double probability, double degrees);

}  // namespace stkr
