#include "dense_reference.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <utility>

namespace stkr::reference {

Matrix rows_of(const Matrix& x, const Samples& samples) {
  Matrix result(static_cast<Index>(samples.size()), x.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) result.row(k) = x.row(samples[k]);
  return result;
}

Matrix columns_of(const Matrix& x, const Samples& samples) {
  Matrix result(x.rows(), static_cast<Index>(samples.size()));
  for (std::size_t k = 0; k < samples.size(); ++k) result.col(k) = x.col(samples[k]);
  return result;
}

Matrix spread(const Matrix& x, const Samples& samples, Index size) {
  Matrix result = Matrix::Zero(size, x.cols());
  for (std::size_t k = 0; k < samples.size(); ++k) result.row(samples[k]) = x.row(k);
  return result;
}

Samples complement(const Samples& samples, Index size) {
  std::vector<char> taken(size, 0);
  for (const Index i : samples) taken[i] = 1;
  Samples rest;
  for (Index i = 0; i < size; ++i) {
    if (!taken[i]) rest.push_back(i);
  }
  return rest;
}

double relative_error(const Matrix& a, const Matrix& b) {
  const double scale = b.norm();
  return (a - b).norm() / (scale > 0.0 ? scale : 1.0);
}

Spectrum::Spectrum(const Matrix& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(symmetric)};
  values = eigen.eigenvalues().reverse();
  vectors = eigen.eigenvectors().rowwise().reverse();
}

Matrix Dense::transformed(const Transform& t) const {
  return static_cast<double>(size()) * mapped([&](Index i) {
           return t.top > 0 ? (i < t.top ? values()[i] : 0.0) : t.s(values()[i]);
         });
}

Matrix Dense::action(const Transform& t) const {
  return mapped([&](Index i) { return t.top > 0 ? (i < t.top ? 1.0 : 0.0) : t.g(values()[i]); });
}

Matrix Dense::fresh_action(const Transform& t) const {
  if (self_term_ == 0.0) return action(t);
  if (t.top > 0) {  // s(δ) is taken as 0: the cut lies above δ in every test
    return mapped(
        [&](Index i) { return i < t.top ? values()[i] / (values()[i] - self_term_) : 0.0; });
  }
  return mapped([&](Index i) {
    const double lambda = values()[i], step = 1e-5;
    return std::abs(lambda - self_term_) > 1e-7
               ? (t.s(lambda) - t.s(self_term_)) / (lambda - self_term_)
               : (t.s(self_term_ + step) - t.s(self_term_ - step)) / (2.0 * step);
  });
}

Matrix Dense::system(const Transform& t, const Samples& labeled, double beta) const {
  Matrix a = rows_of(columns_of(transformed(t), labeled), labeled);
  a.diagonal() +=
      static_cast<double>(labeled.size()) * beta * label_weights(t, labeled).cwiseInverse();
  return a;
}

Vector Dense::label_weights(const Transform& t, const Samples& labeled) const {
  Vector v = Vector::Ones(static_cast<Index>(labeled.size()));
  for (std::size_t k = 0; t.poisson && k < labeled.size(); ++k) {
    v[static_cast<Index>(k)] =
        1.0 / (std::sqrt(static_cast<double>(size())) * std::abs(spectrum_.vectors(labeled[k], 0)));
  }
  return v;
}

Solution Dense::fit(const Transform& t, const Samples& labeled, const Matrix& y,
                    double beta) const {
  Solution result;
  const Matrix targets = t.poisson ? Matrix(y.rowwise() - y.colwise().mean()) : y;
  result.alpha = system(t, labeled, beta).partialPivLu().solve(targets);
  result.coefficients = fresh_action(t) * spread(result.alpha, labeled, size());
  result.fitted = transformed(t) * spread(result.alpha, labeled, size());
  return result;
}

PcaSolution Dense::kernel_pca(Index d, const Samples& labeled, const Matrix& y, double beta) const {
  const Samples unlabeled = complement(labeled, size());
  const auto m = static_cast<double>(unlabeled.size());
  const Spectrum block(rows_of(columns_of(kernel_, unlabeled), unlabeled));
  PcaSolution result;
  result.eigenvalues = block.values.head(d) / m;
  result.vectors = block.vectors.leftCols(d);
  for (Index i = 0; i < d; ++i) result.vectors.col(i) /= std::sqrt(m * result.eigenvalues[i]);
  // Row l of psi is Ψ̂(x_l). The row of a sample that was not used to learn ψ̂ lacks the self term
  // of K: there G° v = (mλ̃ - Nδ) v, and ψ̂ is G° v times mλ̃/(mλ̃ - Nδ).
  Matrix psi = columns_of(kernel_, unlabeled) * result.vectors;
  Vector factors = Vector::Ones(d);
  for (Index i = 0; i < d; ++i) {
    const double eigenvalue = m * result.eigenvalues[i];
    factors[i] = eigenvalue / (eigenvalue - static_cast<double>(size()) * self_term_);
  }
  for (const Index l : labeled) psi.row(l) = psi.row(l).cwiseProduct(factors.transpose()).eval();
  const Matrix p = rows_of(psi, labeled);
  Matrix a = p.transpose() * p;
  a.diagonal().array() += static_cast<double>(labeled.size()) * beta;
  const Matrix w = a.partialPivLu().solve(p.transpose() * y);
  result.fitted = psi * w;
  result.coefficients = spread(result.vectors * factors.asDiagonal() * w, unlabeled, size());
  return result;
}

Matrix Dense::label_propagation(double eta, const Samples& labeled, const Matrix& y) const {
  const Matrix q = Matrix::Identity(size(), size()) - eta / static_cast<double>(size()) * kernel_;
  return q.partialPivLu().solve(spread(y, labeled, size()));
}

Index Dense::widest_gap(Index lowest, Index highest) const {
  Index best = lowest;
  for (Index d = lowest; d <= highest; ++d) {
    if (values()[d - 1] - values()[d] > values()[best - 1] - values()[best]) best = d;
  }
  return best;
}

Matrix Dense::mapped(const std::function<double(Index)>& value) const {
  Vector diagonal(size());
  for (Index i = 0; i < size(); ++i) diagonal[i] = value(i);
  return spectrum_.vectors * diagonal.asDiagonal() * spectrum_.vectors.transpose();
}

Dense::Dense(Matrix kernel, double self_term)
    : kernel_(std::move(kernel)),
      spectrum_(kernel_ / static_cast<double>(kernel_.rows())),
      self_term_(self_term) {}

}  // namespace stkr::reference
