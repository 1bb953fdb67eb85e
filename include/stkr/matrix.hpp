#pragma once

#include <Eigen/Core>

namespace stkr {

using Index = Eigen::Index;

// Row-major blocks: the C outputs of one sample are adjacent, which makes sparse products fast (one
// cache line serves all columns).
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using MatrixF = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

using ConstMatrixRef = Eigen::Ref<const Matrix, 0, Eigen::OuterStride<>>;
using MatrixRef = Eigen::Ref<Matrix, 0, Eigen::OuterStride<>>;

}  // namespace stkr
