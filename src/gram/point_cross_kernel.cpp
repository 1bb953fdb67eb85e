#include <fmt/format.h>

#include <string>
#include <utility>

#include "cross_kernels.hpp"
#include "point_tiles.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"
#include "stkr/linop/parallel.hpp"

namespace stkr {
namespace {

// Known points are packed once per chunk of new ones.
constexpr Index new_rows = 4 * tile_rows;

}  // namespace

template <class Scalar>
PointCrossKernel<Scalar>::PointCrossKernel(KnownPoints<Scalar> points, int threads)
    : points_(std::move(points)), threads_(threads) {}

template <class Scalar>
Matrix PointCrossKernel<Scalar>::apply(const NewSamples& samples, ConstMatrixRef c) const {
  const char* who = "PointCrossKernel::apply";
  const Matrix& given = expect_matrix(samples, who, "points, one row each");
  check_coefficients(*this, c, who);
  const auto placed = points_.place(given, who);
  std::vector<Scalar> norms(placed.rows());
  for (Index i = 0; i < placed.rows(); ++i) {
    norms[i] = static_cast<Scalar>(squared_norm(placed.row(i).data(), placed.cols()));
  }
  const PointRows<Scalar> rows{placed.data(), placed.rows(), placed.cols(), norms.data()};

  Matrix result = Matrix::Zero(placed.rows(), c.cols());
  const Index width = tile_columns<Scalar>(known(), points_.features());
  parallel_chunks(placed.rows(), new_rows, threads_, [&](Index begin, Index end) {
    PointTiles<Scalar> tiles(points_);
    for (Index j = 0; j < known(); j += width) {
      const Index columns = std::min(width, known() - j);
      tiles.add_new(rows.slice(begin, end - begin), j, columns, c.middleRows(j, columns),
                    result.middleRows(begin, end - begin));
    }
  });
  return result;
}

template <class Scalar>
void PointCrossKernel<Scalar>::save(CrossKernelSink& sink) const {
  const KernelParameters kernel = points_.kernel().parameters();
  sink.text("kind", "points");
  sink.text("kernel", kernel.name);
  sink.number("length_scale", kernel.length_scale);
  sink.number("gamma", kernel.gamma);
  sink.number("coef0", kernel.coef0);
  sink.number("degree", kernel.degree);
  const auto points = points_.points().template as<Scalar>();
  sink.array("points", points.rows(), points.cols(),
             std::span<const Scalar>(points.data(), points.size()));
}

std::unique_ptr<CrossKernel> load_point_cross_kernel(CrossKernelSource& source) {
  KernelParameters parameters;
  parameters.name = source.text("kernel");
  parameters.length_scale = source.number("length_scale");
  parameters.gamma = source.number("gamma");
  parameters.coef0 = source.number("coef0");
  parameters.degree = static_cast<int>(load_count(source, "degree"));
  const Kernel kernel = Kernel::from_parameters(parameters);
  return std::visit(
      [&]<class Points>(Points points) -> std::unique_ptr<CrossKernel> {
        using Scalar = typename Points::Scalar;
        return std::make_unique<PointCrossKernel<Scalar>>(
            KnownPoints<Scalar>(std::move(points), kernel, "saved points"), source.threads());
      },
      source.array("points"));
}

template class PointCrossKernel<float>;
template class PointCrossKernel<double>;

}  // namespace stkr
