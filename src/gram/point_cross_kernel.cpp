#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "cross_kernels.hpp"
#include "point_tiles.hpp"
#include "runtime/parallel.hpp"
#include "stkr/error.hpp"
#include "stkr/gram/point_gram.hpp"

namespace stkr {
namespace {

// Known points are packed once per chunk of new ones.
constexpr Index new_rows = 4 * tile_rows;

std::string parameter_name(Index k) { return fmt::format("parameter_{}_name", k); }
std::string parameter_value(Index k) { return fmt::format("parameter_{}", k); }

void save_custom(CrossKernelSink& sink, const CustomKernel& kernel, bool sparse) {
  sink.text("kind", sparse ? "sparse_custom_points" : "custom_points");
  sink.text("kernel", kernel.name);
  sink.number("parameters", static_cast<double>(kernel.parameters.size()));
  Index k = 0;
  for (const auto& [name, value] : kernel.parameters) {
    sink.text(parameter_name(k), name);
    sink.number(parameter_value(k), value);
    ++k;
  }
}

std::unique_ptr<CrossKernel> load_points(CrossKernelSource& source, const Kernel& kernel) {
  if (source.text("kind").starts_with("sparse_")) {
    return std::make_unique<PointCrossKernel<double>>(
        std::make_shared<const KnownPoints<double>>(load_csr(source, "points"), kernel,
                                                    "saved points"),
        source.threads());
  }
  return std::visit(
      [&]<class Points>(Points points) -> std::unique_ptr<CrossKernel> {
        using Scalar = typename Points::Scalar;
        return std::make_unique<PointCrossKernel<Scalar>>(
            std::make_shared<const KnownPoints<Scalar>>(std::move(points), kernel, "saved points",
                                                        source.device()),
            source.threads());
      },
      source.array("points"));
}

}  // namespace

void save_kernel(CrossKernelSink& sink, const Kernel& kernel, bool sparse) {
  if (const CustomKernel* custom = kernel.custom()) return save_custom(sink, *custom, sparse);
  const KernelParameters parameters = kernel.parameters();
  sink.text("kind", sparse ? "sparse_points" : "points");
  sink.text("kernel", parameters.name);
  sink.number("length_scale", parameters.length_scale);
  sink.number("gamma", parameters.gamma);
  sink.number("coef0", parameters.coef0);
  sink.number("degree", parameters.degree);
}

template <class Scalar>
PointCrossKernel<Scalar>::PointCrossKernel(std::shared_ptr<const KnownPoints<Scalar>> points,
                                           int threads)
    : points_(std::move(points)), threads_(threads) {
  if (points_->points().sparse()) counts_ = row_counts(*points_->points().sparse());
}

template <class Scalar>
Index PointCrossKernel<Scalar>::known() const {
  return points_->count();
}

template <class Scalar>
std::optional<Index> PointCrossKernel<Scalar>::features() const {
  return points_->features();
}

template <class Scalar>
std::optional<std::vector<Index>> PointCrossKernel<Scalar>::nearest(
    std::span<const Index> samples, std::span<const Index> among) const {
  return points_->nearest(samples, among);
}

template <class Scalar>
class PointCrossKernel<Scalar>::Placed final : public PlacedSamples {
 public:
  Placed(const PointCrossKernel& cross, FeatureMatrix given)
      : cross_(cross),
        given_(std::move(given)),
        points_(cross.points_->place(given_, "new points")) {}

  Matrix apply(ConstMatrixRef c) const override {
    check_coefficients(cross_, c, "PointCrossKernel::apply");
    const PointRows<Scalar> rows = points_.rows();
    if (const DevicePoints* device = cross_.points_->on_device()) {
      return device->cross_product(view_of(rows), c);
    }
    Matrix result = Matrix::Zero(rows.count, c.cols());
    const Index known = cross_.known();
    const Index width = tile_columns<Scalar>(known, cross_.points_->packed_features());
    parallel_chunks(rows.count, new_rows, cross_.threads_, [&](Index begin, Index end) {
      PointTiles<Scalar> tiles(*cross_.points_);
      for (Index j = 0; j < known; j += width) {
        const Index columns = std::min(width, known - j);
        tiles.add_new(rows.slice(begin, end - begin), j, columns, c.middleRows(j, columns),
                      result.middleRows(begin, end - begin));
      }
    });
    return result;
  }
  std::optional<Matrix> rows() const override {
    const Index known = cross_.known();
    const Index width = tile_columns<Scalar>(known, cross_.points_->packed_features());
    Matrix result(points_.rows().count, known);
    parallel_chunks(known, width, cross_.threads_, [&](Index begin, Index end) {
      std::vector<Scalar> buffer;
      PackedPoints<Scalar> packed;
      packed.pack(cross_.points_->rows(begin, end - begin, buffer));
      evaluate_block(cross_.points_->kernel(), points_.rows(), packed,
                     result.middleCols(begin, end - begin));
    });
    return result;
  }
  std::optional<Matrix> among() const override {
    const PointRows<Scalar> x = points_.rows();
    Matrix result(x.count, x.count);
    const Index width = tile_columns<Scalar>(x.count, cross_.points_->packed_features());
    parallel_chunks(x.count, width, cross_.threads_, [&](Index begin, Index end) {
      PackedPoints<Scalar> packed;
      packed.pack(x.slice(begin, end - begin));
      evaluate_block(cross_.points_->kernel(), x, packed, result.middleCols(begin, end - begin));
    });
    result.diagonal() = *diagonal();
    return result;
  }
  std::optional<Vector> diagonal() const override {
    const Kernel& kernel = cross_.points_->kernel();
    const PointRows<Scalar> x = points_.rows();
    Vector result(x.count);
    for (Index i = 0; i < x.count; ++i) {
      if (!kernel.of_points()) {
        result[i] = kernel.at_itself(x.squared_norms[i]);
        continue;
      }
      const Vector point = given_.chosen_rows(std::span(&i, 1)).matrix().row(0);
      const std::span<const double> one(point.data(), static_cast<std::size_t>(point.size()));
      result[i] = kernel(one, one);
    }
    return result;
  }
  std::optional<std::vector<Index>> nearest(std::span<const Index> among) const override {
    return cross_.points_->nearest(given_, among);
  }

 private:
  const PointCrossKernel& cross_;
  FeatureMatrix given_;
  typename KnownPoints<Scalar>::Copied points_;
};

template <class Scalar>
std::unique_ptr<PlacedSamples> PointCrossKernel<Scalar>::place(const NewSamples& samples) const {
  return std::make_unique<Placed>(*this, expect_points(samples, "new points"));
}

template <class Scalar>
void PointCrossKernel<Scalar>::save(CrossKernelSink& sink) const {
  const bool sparse = points_->points().sparse() != nullptr;
  save_kernel(sink, points_->kernel(), sparse);
  if (sparse) {
    save_csr(sink, "points", *points_->points().sparse(), counts_);
    return;
  }
  const auto points = points_->points().dense().template as<Scalar>();
  sink.array("points", points.rows(), points.cols(),
             std::span<const Scalar>(points.data(), points.size()));
}

std::unique_ptr<CrossKernel> load_point_cross_kernel(CrossKernelSource& source,
                                                     const CrossKernelRegistry&) {
  KernelParameters parameters;
  parameters.name = source.text("kernel");
  parameters.length_scale = source.number("length_scale");
  parameters.gamma = source.number("gamma");
  parameters.coef0 = source.number("coef0");
  parameters.degree = static_cast<int>(load_count(source, "degree"));
  return load_points(source, Kernel::from_parameters(parameters));
}

std::unique_ptr<CrossKernel> load_custom_point_cross_kernel(CrossKernelSource& source,
                                                            const CrossKernelRegistry& registry) {
  std::map<std::string, double> parameters;
  const Index count = load_count(source, "parameters");
  for (Index k = 0; k < count; ++k) {
    parameters[source.text(parameter_name(k))] = source.number(parameter_value(k));
  }
  return load_points(source, Kernel::custom(registry.kernel(source.text("kernel"), parameters)));
}

template class PointCrossKernel<float>;
template class PointCrossKernel<double>;

}  // namespace stkr
