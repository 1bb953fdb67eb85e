#include "transform/action_parts.hpp"

namespace stkr {

std::vector<TransformTerm> action_parts(const SpectralTransform& transform) {
  const std::vector<TransformTerm> terms = terms_of(transform);
  if (terms.size() < 2 || transform.polynomial_coefficients()) return {{1.0, transform}};
  std::vector<TransformTerm> parts, polynomials, others;
  for (const TransformTerm& term : terms) {
    auto& kind = term.transform.polynomial_coefficients() ? polynomials
                 : term.transform.reciprocal_form()       ? parts
                                                          : others;
    kind.push_back(term);
  }
  if (others.size() == terms.size()) return {{1.0, transform}};
  for (std::vector<TransformTerm>* together : {&polynomials, &others}) {
    if (!together->empty()) parts.push_back({1.0, SpectralTransform::sum(std::move(*together))});
  }
  return parts;
}

}  // namespace stkr
