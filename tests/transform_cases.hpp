#pragma once

#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "dense_reference.hpp"
#include "stkr/gram/gram_operator.hpp"
#include "stkr/transform/spectral_transform.hpp"

// Every transform of the library with its s and g written out by hand.
namespace stkr::cases {

struct TransformCase {
  std::string name;
  SpectralTransform transform;
  reference::Transform exact;
  // The relative tolerance for c; α̂ and f̂ are always checked to 1e-8.
  double coefficient_tolerance = 1e-8;
};

TransformCase power_case(double p);

TransformCase polynomial_case(const std::string& name, const std::vector<double>& pi);

TransformCase inverse_laplacian_case(double eta);

TransformCase poisson_case(double eta, double largest);  // without the top eigenvector
TransformCase reciprocal_case(const std::string& name, const std::vector<double>& xi, int r);

TransformCase truncation_case(Index d);

TransformCase callable_case(const std::string& name, std::function<double(double)> s,
                            double slope_at_zero);

TransformCase diffusion_case(double t);

TransformCase smooth_step_case(double c, int p);

TransformCase sum_case(const std::string& name,
                       const std::vector<std::pair<double, TransformCase>>& terms);

// The transforms suitable for a gram, with parameters in units of its λ₁.
std::vector<TransformCase> transform_cases(const GramOperator& gram, const reference::Dense& dense);

}  // namespace stkr::cases
