// A gram of your own, with only what is pure virtual: K(x, y) = <x, y> in O(N) instead of O(N²).
#include <cstdio>
#include <filesystem>
#include <stkr/estimator/stkr.hpp>
#include <stkr/model/model.hpp>

using stkr::ConstMatrixRef, stkr::Index, stkr::Matrix, stkr::MatrixRef;

struct PlacedPoints : stkr::PlacedSamples {
  PlacedPoints(const Matrix& samples, const Matrix& points) : x(samples), known(points) {}
  Matrix apply(ConstMatrixRef c) const override { return x * (known.transpose() * c); }
  const Matrix &x, &known;
};

struct LinearCross : stkr::CrossKernel {
  explicit LinearCross(Matrix points) : x(std::move(points)) {}
  Index known() const override { return x.rows(); }
  std::unique_ptr<stkr::PlacedSamples> place(const stkr::NewSamples& samples) const override {
    return std::make_unique<PlacedPoints>(std::get<Matrix>(samples.data), x);
  }
  void save(stkr::CrossKernelSink& sink) const override {
    sink.text("kind", "linear_features");
    sink.array("points", x.rows(), x.cols(), {x.data(), std::size_t(x.size())});
  }
  Matrix x;
};

struct LinearGram : stkr::GramOperator {
  explicit LinearGram(Matrix points) : x(std::move(points)) {}
  Index size() const override { return x.rows(); }
  void apply(ConstMatrixRef v, MatrixRef y) const override { y = x * (x.transpose() * v) / size(); }
  Matrix block(std::span<const Index> rows, std::span<const Index> columns) const override {
    return x(rows, Eigen::all) * x(columns, Eigen::all).transpose();
  }
  std::unique_ptr<stkr::CrossKernel> cross_kernel() const override {
    return std::make_unique<LinearCross>(x);
  }
  Matrix x;
};

int main() {
  const LinearGram gram((Matrix::Random(1000, 2)));  // in [-1, 1]²
  const std::vector<Index> labeled{1, 200, 300, 400, 500, 999};
  const Matrix y = gram.x(labeled, Eigen::all) * Eigen::Vector2d(1.0, 3.0);
  const stkr::Model model(gram.cross_kernel(), stkr::fit_stkr(gram, labeled, y),
                          stkr::TargetDecision{{"y"}, stkr::Vector::Zero(1)}, {});
  const auto path = std::filesystem::temp_directory_path() / "stkr_own_gram.npz";
  model.save(path);
  stkr::CrossKernelRegistry registry;
  registry.add("linear_features", [](stkr::CrossKernelSource& source, const auto&) {
    return std::make_unique<LinearCross>(std::get<Matrix>(source.array("points")));
  });
  const stkr::Model loaded = stkr::Model::load(path, registry);
  std::filesystem::remove(path);
  const stkr::NewSamples corner{Matrix::Ones(1, 2)};
  const double before = model.predict(corner).scores(0, 0);
  const double after = loaded.predict(corner).scores(0, 0);
  std::printf("f(1, 1) = %.2f, and %g more after loading\n", before, after - before);
}
