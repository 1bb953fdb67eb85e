#pragma once

#include <Eigen/LU>

#include "gram_cases.hpp"
#include "stkr/inference/fitted_system.hpp"
#include "transform_cases.hpp"

// A small fitted system for tests, and its dense formulas.
namespace stkr::cases {

inline const std::vector<Index> kLabeled{1, 4, 5, 9, 12, 14};

// Numbers with a free constant, or classes without one.
inline FittedSystem small_system(const GramCase& gram, const std::vector<AverageTerm>& terms,
                                 bool classes) {
  FittedSystem system;
  system.gram = gram.make(1);
  system.targets.labeled = kLabeled;
  if (classes) {
    system.targets.y = Matrix::Zero(6, 2);
    for (Index i = 0; i < 6; ++i) system.targets.y(i, i % 2) = 1.0;
    system.targets.decision =
        ClassDecision{{"a", "b"}, Vector::Constant(2, 0.5), {}, kLabeled, {0, 1, 0, 1, 0, 1}};
  } else {
    system.targets.y = random_matrix(6, 2, 3);
    system.targets.constant = true;
    system.targets.decision = TargetDecision{{"a", "b"}, Vector::Zero(2), kLabeled};
  }
  system.terms = terms;
  system.tolerance = 1e-11;
  return system;
}

inline std::vector<AverageTerm> two_terms(const GramCase& gram) {
  const double unit = 1.0 / gram.dense().largest();
  return {{SpectralTransform::power(2), {{0.1, 1.0}, {0.5, 2.0}}},
          {SpectralTransform::inverse_laplacian(0.9 * unit), {{0.3, 1.0}}}};
}

// One fit of the average, by explicit matrices.
struct DenseFit {
  Matrix kernel;  // K̂_s: N × N
  Matrix at;      // K̂_s(x, x_i): N × n
  Matrix a;       // A
  double weight;  // in the average
};

inline std::vector<DenseFit> dense_fits(const GramCase& gram, const FittedSystem& system,
                                        Index labels_in_ridge) {
  const reference::Dense dense = gram.dense();
  const double eta = 0.9 / dense.largest();
  const reference::Transform square{[](double l) { return l * l; }, [](double l) { return l; }};
  const reference::Transform laplacian{[eta](double l) { return l / (1.0 - eta * l); },
                                       [eta](double l) { return 1.0 / (1.0 - eta * l); }};
  std::vector<DenseFit> fits;
  double total = 0.0;
  for (std::size_t t = 0; t < system.terms.size(); ++t) {
    const Matrix kernel = dense.transformed(t == 0 ? square : laplacian);
    const Matrix at = reference::columns_of(kernel, kLabeled);
    const Matrix g = reference::rows_of(at, kLabeled);
    for (const AverageTerm::Part& part : system.terms[t].parts) {
      // The unit of a ridge is the mean diagonal, or the root mean square of columns without one.
      double unit = g.diagonal().mean();
      const double columns = g.norm() / std::sqrt(6.0);
      if (std::abs(unit) < 1e-8 * columns) unit = columns;
      Matrix a = g;
      a.diagonal().array() += part.ridge * unit * static_cast<double>(labels_in_ridge) / 6.0;
      fits.push_back({kernel, at, a, part.weight});
      total += part.weight;
    }
  }
  for (DenseFit& fit : fits) fit.weight /= total;
  return fits;
}

}  // namespace stkr::cases
