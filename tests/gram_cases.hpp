#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "dense_operator.hpp"
#include "dense_reference.hpp"
#include "gram/centered_gram.hpp"
#include "gram/dense_gram.hpp"
#include "gram/normalized_gram.hpp"
#include "gram/smoothed_gram.hpp"
#include "gram/sum_gram.hpp"
#include "stkr/gram/graph_gram.hpp"
#include "stkr/gram/point_gram.hpp"

// Every kind of gram with its kernel matrix written out by hand.
namespace stkr::cases {

struct GramCase {
  std::string name;
  std::function<std::unique_ptr<GramOperator>(int threads)> make;
  Matrix kernel;  // G_K
  // The training samples in the form of new samples.
  std::function<NewSamples()> as_new{};
  // The part of S's diagonal that belongs to a sample alone. Presented as new, an unlabeled sample
  // still gets its own value. A labeled one does not, because its own label contributed.
  double self_term = 0.0;
  // Whose products may round differently from the host's, on which a loaded model predicts.
  Device device{};

  reference::Dense dense() const { return reference::Dense(kernel, self_term); }
  // Whether sample i gets its own value if it is presented as new.
  bool keeps_value(Index i, const std::vector<Index>& labeled) const {
    return self_term == 0.0 || std::find(labeled.begin(), labeled.end(), i) == labeled.end();
  }
};

void PrintTo(const GramCase& gram, std::ostream* out);

using KernelFunction = std::function<double(const Vector&, const Vector&)>;

Matrix kernel_matrix(const Matrix& points, const KernelFunction& k);

CsrMatrix to_csr(const Matrix& dense);

// A weighted graph without self-loops: components {0..15} and {16..21}, isolated nodes from 22 on.
Matrix two_component_graph(Index nodes, std::uint64_t seed);

// K of a graph by the definitions of GraphNormalization.
Matrix graph_kernel(const Matrix& w, GraphNormalization normalization);

Matrix centered(const Matrix& k);

// K without the eigenvectors of its largest eigenvalue.

Matrix normalized(const Matrix& k);

GramCase point_case(std::string name, const Matrix& x, const Kernel& kernel,
                    const KernelFunction& k, const Device& device = {});

GramCase graph_case(std::string name, const Matrix& w, GraphNormalization normalization,
                    const Device& device = {});

// S̃^k X: features smoothed `steps` times over a graph with self-loops.
Matrix smoothed(const Matrix& w, const Matrix& x, Index steps);

// K = Φ Φᵀ, of rows of length 1 if `cosine`.
GramCase smoothed_case(std::string name, const Matrix& w, const Matrix& x, Index steps,
                       bool cosine);

// A point kernel of Φ.
GramCase smoothed_point_case(std::string name, const Matrix& w, const Matrix& x, Index steps,
                             const Kernel& kernel, const KernelFunction& k);

GramCase dense_case(std::string name, const Matrix& k);

GramCase centered_case(std::string name, const GramCase& base);

GramCase normalized_case(std::string name, const GramCase& base);

GramCase sum_case(std::string name, const GramCase& a, const GramCase& b);

inline constexpr Index kSamples = 24;

KernelFunction rbf(double length_scale);

// Every device of this machine but the CPU, tests/handle_backend first.
std::vector<Device> other_devices();

// Those on the CPU come first, then some on every other device of this machine,
// tests/handle_backend among them.
std::vector<GramCase> gram_cases();

// For INSTANTIATE_TEST_SUITE_P: names tests after their case.
struct CaseName {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

}  // namespace stkr::cases
