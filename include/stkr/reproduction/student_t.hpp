#pragma once

namespace stkr {

// The t for which Student's distribution with so many degrees of freedom, whole or not, lies in
// [-t, t] with this probability: 2.262 for 0.95 and 9. Throws ValueError unless 0 < probability < 1
// and degrees > 0.
double student_t_quantile(double probability, double degrees);

}  // namespace stkr
