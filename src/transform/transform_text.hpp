#pragma once

#include <string>
#include <vector>

#include "stkr/transform/spectral_transform.hpp"

namespace stkr {

// Transforms as text, for command lines, Python and reports: terms with optional weights.
//
//   0.4*inverse-laplacian(0.99) + 0.6*power(2)
//
//   power(p)             inverse-laplacian(eta)     diffusion(t)
//   polynomial(pi_1, pi_2, ...)                     reciprocal(r, xi_0, xi_1, ...)
//   smooth-step(c), smooth-step(c, p)               truncation(d), poisson(eta), not in sums
//   through(lambda_1:s_1, lambda_2:s_2, ...)        (stkr/transform/through.hpp)
//
// Spaces do not matter, and underscores may stand for dashes. With a ridge after each term, the
// text is an average of fits instead of a sum of transforms:
//
//   0.7*poisson(1)@0.01 + 0.3*power(2)@0.1

// Exact: transform_from_text returns the same numbers. A user-defined s is written by its name
// only, which cannot be read.
std::string to_text(const SpectralTransform& transform);

// Throws ValueError, with the place, for text that is not of this form, and as SpectralTransform
// does for parameters outside their domain.
SpectralTransform transform_from_text(const std::string& text);

// A term of an average.
struct WrittenFit {
  double weight = 1.0;
  SpectralTransform transform;
  double ridge = 0.0;  // relative
};
std::string to_text(const std::vector<WrittenFit>& fits);
std::vector<WrittenFit> average_from_text(const std::string& text);  // throws as above
inline bool is_average_text(const std::string& text) { return text.find('@') != std::string::npos; }

// Whether `text` is meant as such a text and not as a bare name.
inline bool is_transform_text(const std::string& text) {
  return text.find_first_of("(*+") != std::string::npos;
}

}  // namespace stkr
