#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <list>
#include <numeric>
#include <tuple>
#include <vector>

#include "cuda_block.hpp"
#include "eigenspace_on_device.hpp"
#include "runtime/random.hpp"

// Every function of device blocks against that of the host, on whole blocks and on column views
// that start at odd and even columns.
namespace stkr::cuda {
namespace {

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

// Numbers in [-1, 1], much faster than Random.
Matrix numbers(Index rows, Index columns, std::uint64_t seed) {
  Matrix m(rows, columns);
  std::uint64_t s = seed * 0x9E3779B97F4A7C15u + 1;
  for (Index k = 0; k < m.size(); ++k) {
    s = s * 6364136223846793005u + 1442695040888963407u;
    m.data()[k] = static_cast<double>(s >> 11) * 0x1p-52 - 1.0;
  }
  return m;
}

enum class Place { whole, odd, even };

// A block, or columns in the middle of a wider block, whose other columns must not change.
class Placed {
 public:
  Placed(const Matrix& host, Place place)
      : first_(place == Place::whole ? 0
               : place == Place::odd ? 1
                                     : 2),
        columns_(host.cols()),
        block_(host.rows(), place == Place::whole ? host.cols() : host.cols() + 5) {
    if (place != Place::whole) {
      Matrix wide = Matrix::Constant(host.rows(), host.cols() + 5, 7.0);
      wide.middleCols(first_, columns_) = host;
      upload(wide, block_);
    } else {
      upload(host, block_);
    }
  }
  CudaView view() { return mutable_columns(block_, first_, columns_); }
  // Its columns, after a check of the others.
  Matrix result() {
    const Matrix all = download(block_);
    if (all.cols() > columns_) {
      EXPECT_TRUE((all.leftCols(first_).array() == 7.0).all());
      EXPECT_TRUE((all.rightCols(5 - first_).array() == 7.0).all());
    }
    return all.middleCols(first_, columns_);
  }

 private:
  Index first_, columns_;
  CudaBlock block_;
};

void expect_close(const Matrix& ours, const Matrix& expected, double tolerance, const char* what) {
  ASSERT_EQ(ours.rows(), expected.rows()) << what;
  ASSERT_EQ(ours.cols(), expected.cols()) << what;
  if (ours.size() == 0) return;
  const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
  EXPECT_LE((ours - expected).cwiseAbs().maxCoeff(), tolerance * scale) << what;
}

void expect_same_bits(const Matrix& a, const Matrix& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())), 0)
      << what;
}

using Shape = std::tuple<Index, Index, Place>;

class CudaBlockAlgebra : public ::testing::TestWithParam<Shape> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "skipped: no device";
    std::tie(n_, c_, place_) = GetParam();
    if (n_ * c_ > 20'000'000 && place_ == Place::even) GTEST_SKIP() << "enough with one view";
  }
  Placed placed(const Matrix& host) const { return {host, place_}; }
  Matrix any(std::uint64_t seed) const { return numbers(n_, c_, seed); }
  Vector scalars(std::uint64_t seed) const { return numbers(c_, 1, seed); }

  // Runs `device` on a copy of y, and `host` on y, and compares.
  template <class OnDevice, class OnHost>
  void compare(const Matrix& y, OnDevice device, OnHost host, const char* what) const {
    Placed ours = placed(y);
    device(ours.view());
    Matrix expected = y;
    host(expected);
    expect_close(ours.result(), expected, 1e-14, what);
  }

  Index n_ = 0, c_ = 0;
  Place place_ = Place::whole;
};

constexpr int threads = 4;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST_P(CudaBlockAlgebra, ElementByElement) {
  const Matrix x = any(1), y = any(2), u = any(3), v = any(4);
  const Matrix unread = Matrix::Constant(n_, c_, nan);
  Placed dx = placed(x), du = placed(u), dv = placed(v);
  const Vector a = scalars(5);
  compare(
      unread, [&](CudaView w) { axpby(1.5, dx.view(), 0.0, w, 1); },
      [&](MatrixRef w) { stkr::axpby(1.5, x, 0.0, w, threads); }, "axpby, y not read");
  compare(
      y, [&](CudaView w) { axpby(1.5, dx.view(), -0.5, w, 1); },
      [&](MatrixRef w) { stkr::axpby(1.5, x, -0.5, w, threads); }, "axpby");
  compare(
      unread, [&](CudaView w) { recurrence_step(1.5, du.view(), 2.0, dx.view(), 0.0, w, 1); },
      [&](MatrixRef w) { stkr::recurrence_step(1.5, u, 2.0, x, 0.0, w, threads); },
      "recurrence_step, y not read");
  compare(
      y, [&](CudaView w) { recurrence_step(1.5, du.view(), 2.0, dx.view(), -0.3, w, 1); },
      [&](MatrixRef w) { stkr::recurrence_step(1.5, u, 2.0, x, -0.3, w, threads); },
      "recurrence_step");
  compare(
      unread, [&](CudaView w) { scale_columns(a, dx.view(), w, 1); },
      [&](MatrixRef w) { stkr::scale_columns(a, x, w, threads); }, "scale_columns");
  compare(
      unread, [&](CudaView w) { divide_columns(a, dx.view(), w, 1); },
      [&](MatrixRef w) { stkr::divide_columns(a, x, w, threads); }, "divide_columns");
  compare(
      y, [&](CudaView w) { add_scaled(a, dx.view(), w, 1); },
      [&](MatrixRef w) { stkr::add_scaled(a, x, w, threads); }, "add_scaled");
  compare(
      y, [&](CudaView w) { scale_and_add(a, dx.view(), w, 1); },
      [&](MatrixRef w) { stkr::scale_and_add(a, x, w, threads); }, "scale_and_add");
  compare(
      y, [&](CudaView w) { divide_columns(a, w, w, 1); },
      [&](MatrixRef w) { stkr::divide_columns(a, w, w, threads); }, "in place");
  compare(
      y, [&](CudaView w) { copy_block(dx.view(), w, 1); }, [&](MatrixRef w) { w = x; },
      "copy_block");
  compare(
      unread, [&](CudaView w) { set_zero(w, 1); }, [&](MatrixRef w) { w.setZero(); }, "set_zero");

  const DirectionStep step{scalars(6), scalars(7), scalars(8), scalars(9)};
  Placed w = placed(unread), solution = placed(y);
  direction_step(step, dx.view(), du.view(), dv.view(), w.view(), solution.view(), 1);
  Matrix expected_w = unread, expected_x = y;
  stkr::direction_step(step, x, u, v, expected_w, expected_x, threads);
  expect_close(w.result(), expected_w, 1e-14, "direction_step, w");
  expect_close(solution.result(), expected_x, 1e-14, "direction_step, x");
}

TEST_P(CudaBlockAlgebra, RowsAndColumns) {
  const Matrix x = any(1), y = any(2), weight = numbers(n_, 1, 3), t = numbers(n_, 1, 4);
  Placed dx = placed(x), dw(weight, Place::whole), dt(t, place_);
  compare(
      y, [&](CudaView z) { scale_rows(dw.view(), dx.view(), z, 1); },
      [&](MatrixRef z) { stkr::scale_rows(weight, x, z, threads); }, "scale_rows");
  compare(
      y, [&](CudaView z) { add_and_scale_rows(dw.view(), dt.view(), dx.view(), z, 1); },
      [&](MatrixRef z) { stkr::add_and_scale_rows(weight, t, x, z, threads); },
      "add_and_scale_rows");

  std::vector<Index> columns(c_);
  for (Index c = 0; c < c_; ++c) columns[c] = (7 * c + 3) % c_;
  compare(
      y, [&](CudaView z) { gather_columns(dx.view(), columns, z, 1); },
      [&](MatrixRef z) { stkr::gather_columns(x, columns, z, threads); }, "gather_columns");

  std::vector<Index> samples;
  for (Index i = 0; i < n_; i += 3) samples.push_back(i);
  const auto count = static_cast<Index>(samples.size());
  Placed rows = placed(numbers(count, c_, 5));
  gather_rows(-2.0, dx.view(), samples, rows.view(), 1);
  expect_close(rows.result(), -2.0 * stkr::gather_rows(x, samples), 0.0, "gather_rows");
  expect_close(gather_rows(dx.view(), samples), stkr::gather_rows(x, samples), 0.0,
               "gather_rows to the host");
  compare(
      y, [&](CudaView z) { scatter_rows(rows.view(), samples, z, 1); },
      [&](MatrixRef z) { stkr::scatter_rows(rows.result(), samples, z, threads); }, "scatter_rows");
  expect_same_bits(dx.result(), x, "upload and download");
}

TEST_P(CudaBlockAlgebra, SumsOverRows) {
  const Matrix x = any(1), y = any(2);
  Placed dx = placed(x), dy = placed(y);
  const double scale = std::sqrt(static_cast<double>(n_) + 1.0) * 1e-14;
  const Vector dots = column_dots(dx.view(), dy.view(), 1);
  expect_close(dots, stkr::column_dots(x, y, threads), scale, "column_dots");
  const Vector norms = column_norms(dx.view(), 1);
  expect_close(norms, stkr::column_norms(x, threads), 1e-13, "column_norms");
  expect_same_bits(dots, column_dots(dx.view(), dy.view(), 1), "column_dots twice");
  expect_same_bits(norms, column_norms(dx.view(), 1), "column_norms twice");

  EXPECT_TRUE(all_finite(dx.view(), 1));
  if (n_ == 0) return;
  for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
    Matrix broken = x;
    broken(n_ - 1, c_ - 1) = bad;
    EXPECT_FALSE(all_finite(placed(broken).view(), 1));
  }
}

TEST_P(CudaBlockAlgebra, Products) {
  const Matrix x = any(1), y = any(2), other = numbers(n_, 7, 3);
  Placed dx = placed(x), dy = placed(y), dother = placed(other);
  const double scale = std::sqrt(static_cast<double>(n_) + 1.0) * 1e-14;
  const Matrix product = tall_product(dx.view(), dy.view(), 1);
  expect_close(product, stkr::tall_product(x, y, threads), scale, "tall_product");
  expect_same_bits(product, tall_product(dx.view(), dy.view(), 1), "tall_product twice");
  expect_close(tall_product(dx.view(), dother.view(), 1), stkr::tall_product(x, other, threads),
               scale, "tall_product, wide and narrow");
  expect_close(tall_product(dother.view(), dx.view(), 1), stkr::tall_product(other, x, threads),
               scale, "tall_product, narrow and wide");
  const Matrix gram = symmetric_tall_product(dx.view(), dx.view(), 1);
  expect_close(gram, stkr::symmetric_tall_product(x, x, threads), 10 * scale, "symmetric");
  EXPECT_TRUE(gram == gram.transpose());

  const Matrix small = numbers(c_, 11, 6), square = numbers(c_, c_, 7);
  expect_close(download(tall_times_small(dx.view(), small, 1)),
               stkr::tall_times_small(x, small, threads), 1e-13, "tall_times_small");
  expect_close(download(tall_times_small(dx.view(), square, 1)),
               stkr::tall_times_small(x, square, threads), 1e-13, "tall_times_small, square");
  compare(
      y, [&](CudaView z) { subtract_product(dx.view(), square, z, 1); },
      [&](MatrixRef z) { stkr::subtract_product(x, square, z, threads); }, "subtract_product");
  const Matrix upper = square.triangularView<Eigen::Upper>();
  compare(
      y, [&](CudaView z) { multiply_by_upper(z, upper, 1); },
      [&](MatrixRef z) { stkr::multiply_by_upper(z, upper, threads); }, "multiply_by_upper");
}

TEST_P(CudaBlockAlgebra, KnownEigenspaces) {
  const Matrix x = any(1), y = any(2);
  const Vector weight = numbers(n_, 1, 3).cwiseAbs();
  // One group of all samples; four of some samples, mixed; groups that are ranges; tiny groups.
  std::vector<KnownEigenspace> spaces;
  std::vector<std::int32_t> group(n_, 0);
  spaces.emplace_back(1.0, 1, group, weight);
  for (Index i = 0; i < n_; ++i) group[i] = static_cast<std::int32_t>(i * 7 % 5) - 1;
  spaces.emplace_back(1.0, 4, group, weight);
  for (Index i = 0; i < n_; ++i)
    group[i] = static_cast<std::int32_t>(i * 3 / std::max<Index>(n_, 1));
  spaces.emplace_back(1.0, 3, group, weight);
  for (Index i = 0; i < n_; ++i) group[i] = static_cast<std::int32_t>(i / 2);
  spaces.emplace_back(1.0, (n_ + 1) / 2, group, weight);
  for (const KnownEigenspace& space : spaces) {
    Placed dx = placed(x);
    compare(
        y, [&](CudaView z) { project_out(space, z, 1); },
        [&](MatrixRef z) { stkr::project_out(space, z, threads); }, "project_out");
    compare(
        y, [&](CudaView z) { add_projection(space, -1.7, dx.view(), z, 1); },
        [&](MatrixRef z) { stkr::add_projection(space, -1.7, x, z, threads); }, "add_projection");
    Placed once = placed(y), again = placed(y);
    project_out(space, once.view(), 1);
    project_out(space, again.view(), 1);
    expect_same_bits(once.result(), again.result(), "project_out twice");
  }
}

std::string shape_name(const ::testing::TestParamInfo<Shape>& info) {
  const auto [rows, columns, place] = info.param;
  const char* name = place == Place::whole ? "Whole" : place == Place::odd ? "Odd" : "Even";
  return std::to_string(rows) + "x" + std::to_string(columns) + name;
}

INSTANTIATE_TEST_SUITE_P(Shapes, CudaBlockAlgebra,
                         ::testing::Combine(::testing::Values(0, 1, 2, 63, 64, 65, 1000, 100003),
                                            ::testing::Values(1, 3, 10, 16, 33, 300),
                                            ::testing::Values(Place::whole, Place::odd,
                                                              Place::even)),
                         shape_name);

TEST(CudaBlock, FillsWithTheNumbersOfTheHost) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  Random host_random(5), device_random(5);
  Matrix host(1001, 3);
  CudaBlock block(1001, 3);
  for (int k = 0; k < 2; ++k) {
    stkr::fill_normal(host_random, host);
    fill_normal(device_random, block);
    expect_same_bits(download(block), host, "fill_normal");
  }
}

TEST(CudaBlock, MovesAndIsEmptyByDefault) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  CudaBlock empty;
  EXPECT_EQ(empty.rows(), 0);
  EXPECT_EQ(empty.cols(), 0);
  const Matrix host = numbers(10, 3, 1);
  CudaBlock block(10, 3);
  upload(host, block);
  CudaBlock moved = std::move(block);
  EXPECT_EQ(block.rows(), 0);
  expect_same_bits(download(moved), host, "after a move");
  empty = std::move(moved);
  expect_same_bits(download(empty), host, "after an assignment");
  EXPECT_EQ(block_like(empty, 0).rows(), 10);
  CudaBlock joined = block_like(empty, 0);
  append_columns<CudaBlock>(joined, empty, 1);
  expect_same_bits(download(joined), host, "appended to no columns");
}

TEST(CudaBlock, KeepsAFewEigenspacesByIdentity) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  const auto space = [](double last) {
    Vector weight = Vector::Ones(10);
    weight[9] = last;
    return KnownEigenspace(1.0, 1, std::vector<std::int32_t>(10, 0), weight);
  };
  const KnownEigenspace a = space(1.0);
  const auto kept = on_device(a);
  EXPECT_EQ(on_device(a.with_eigenvalue(2.0)), kept);
  EXPECT_NE(on_device(space(2.0)), kept);
  for (int k = 0; k < 4; ++k) on_device(space(3.0 + k));
  EXPECT_NE(on_device(a), kept);
  clear_eigenspaces();
}

}  // namespace
}  // namespace stkr::cuda
