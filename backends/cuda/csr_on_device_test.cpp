#include "csr_on_device.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "linop/csr_product.hpp"

namespace stkr::cuda {
namespace {

bool has_device() {
  int count = 0;
  return cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
}

class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 11;
  }
  double uniform() { return static_cast<double>(next()) * 0x1p-52 - 1.0; }  // in [-1, 1]

 private:
  std::uint64_t state_;
};

Matrix numbers(Index rows, Index columns, std::uint64_t seed) {
  Numbers random(seed);
  Matrix m(rows, columns);
  for (Index k = 0; k < m.size(); ++k) m.data()[k] = random.uniform();
  return m;
}

// A matrix whose row i has degree(i) entries.
template <class Degree>
CsrMatrix matrix_with(Index rows, Index columns, Degree degree) {
  Numbers random(11);
  CsrMatrix m;
  m.rows = rows;
  m.cols = columns;
  m.row_start.push_back(0);
  for (Index i = 0; i < rows; ++i) {
    const Index count = degree(i);
    for (Index k = 0; k < count; ++k) {
      m.column.push_back(static_cast<std::int32_t>(random.next() % columns));
      m.value.push_back(random.uniform());
    }
    m.row_start.push_back(static_cast<std::int64_t>(m.column.size()));
  }
  return m;
}

struct Case {
  std::string name;
  CsrMatrix matrix;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"one node, no entry", matrix_with(1, 1, [](Index) { return 0; })});
  all.push_back({"one node, one entry", matrix_with(1, 1, [](Index) { return 1; })});
  all.push_back({"no rows", matrix_with(0, 0, [](Index) { return 0; })});
  all.push_back(
      {"empty rows", matrix_with(1000, 1000, [](Index i) { return i % 3 == 0 ? 5 : 0; })});
  all.push_back({"rectangular", matrix_with(301, 77, [](Index i) { return i % 20; })});
  all.push_back({"lengths", matrix_with(1200, 1200, [](Index i) { return i; })});
  all.push_back({"one huge row",
                 matrix_with(5000, 5000, [](Index i) { return i == 4321 ? 700001 : i % 7; })});
  all.push_back({"around the limit", matrix_with(64, 64, [](Index i) { return 500 + i / 2; })});
  all.push_back(
      {"power law", matrix_with(100003, 100003, [](Index i) { return 3 + 60000 / (1 + i); })});
  return all;
}

double error(const Matrix& ours, const Matrix& expected, const Matrix& size) {
  if (ours.size() == 0) return 0.0;
  return (ours - expected).cwiseAbs().cwiseQuotient(size.array().max(1e-300).matrix()).maxCoeff();
}

constexpr int threads = 4;

// |A| |x| and the other terms: what rounding is relative to.
Matrix magnitude(const CsrMatrix& matrix, double a, const Matrix& x, double b, double c,
                 const Matrix& y) {
  CsrMatrix absolute = matrix;
  for (double& v : absolute.value) v = std::abs(v);
  Matrix result(matrix.rows, x.cols());
  multiply(absolute, x.cwiseAbs(), result, threads);
  result *= std::abs(a);
  if (b != 0.0) result += std::abs(b) * x.cwiseAbs();
  if (c != 0.0) result += std::abs(c) * y.cwiseAbs();
  return result.array() + 1e-3;
}

class CudaCsr : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (!has_device()) GTEST_SKIP() << "skipped: no device";
  }
};

TEST_P(CudaCsr, MultipliesAsTheHostDoes) {
  const Index columns = GetParam();
  for (const Case& test : cases()) {
    const CsrMatrix& m = test.matrix;
    if (m.rows > 50000 && columns > 40) continue;
    SCOPED_TRACE(test.name);
    const Matrix x = numbers(m.cols, columns, 1), y = numbers(m.rows, columns, 2);
    const CsrOnDevice ours(m, CsrValues::both), floats(m, CsrValues::floats);
    EXPECT_EQ(ours.entries(), static_cast<std::int64_t>(m.column.size()));
    const Matrix nan = Matrix::Constant(m.rows, columns, std::numeric_limits<double>::quiet_NaN());
    Matrix expected(m.rows, columns);
    multiply(m, x, expected, threads);
    const Matrix size = magnitude(m, 1.0, x, 0.0, 0.0, y);
    for (const Index shift : {0, 1, 2}) {  // column views, aligned or not
      CudaBlock wide_x(m.cols, columns + shift), wide_y(m.rows, columns + shift);
      set_zero(wide_x, 1);
      set_zero(wide_y, 1);
      const CudaView dx = mutable_columns(wide_x, shift, columns);
      const CudaView dy = mutable_columns(wide_y, shift, columns);
      upload(x, dx);
      upload(nan, dy);
      ours.multiply(dx, dy);
      const Matrix first = download(dy);
      EXPECT_LE(error(first, expected, size), 5e-14);
      ours.multiply(dx, dy);
      const Matrix again = download(dy);
      EXPECT_EQ(std::memcmp(first.data(), again.data(), sizeof(double) * first.size()), 0);
      upload(nan, dy);
      floats.multiply(dx, dy);
      EXPECT_LE(error(download(dy), expected, size), 1e-7);
      upload(nan, dy);
      ours.multiply_single(1.0, dx, 0.0, 0.0, dy);
      EXPECT_LE(error(download(dy), expected, size), 3e-6);
      if (shift > 0) {
        EXPECT_TRUE((download(columns_of(wide_y, 0, shift)).array() == 0.0).all());
      }
      if (m.rows != m.cols) continue;
      Matrix step = y;
      multiply_step(m, 1.5, x, -0.7, 0.3, step, threads);
      const Matrix step_size = magnitude(m, 1.5, x, -0.7, 0.3, y);
      upload(y, dy);
      ours.multiply_step(1.5, dx, -0.7, 0.3, dy);
      EXPECT_LE(error(download(dy), step, step_size), 5e-14);
      upload(y, dy);
      ours.multiply_single(1.5, dx, -0.7, 0.3, dy);
      EXPECT_LE(error(download(dy), step, step_size), 3e-6);
    }
  }
}

TEST_P(CudaCsr, MultipliesAPatternWithFactors) {
  const Index columns = GetParam();
  for (Case& test : cases()) {
    CsrMatrix& m = test.matrix;
    if (m.rows > 50000 && columns > 40) continue;
    SCOPED_TRACE(test.name);
    const Vector r = numbers(m.rows, 1, 3).array() + 1.5, c = numbers(m.cols, 1, 4).array() + 1.5;
    for (Index i = 0; i < m.rows; ++i) {
      for (std::int64_t p = m.row_start[i]; p < m.row_start[i + 1]; ++p) {
        m.value[p] = r[i] * c[m.column[p]];
      }
    }
    const CsrOnDevice ours(m, r, c);
    EXPECT_EQ(ours.weighted(), m.rows == 0);
    const Matrix x = numbers(m.cols, columns, 1), y = numbers(m.rows, columns, 2);
    Matrix expected(m.rows, columns);
    multiply(m, x, expected, threads);
    const Matrix size = magnitude(m, 1.0, x, 0.0, 0.0, y);
    CudaBlock dx(m.cols, columns), dy(m.rows, columns);
    upload(x, dx);
    ours.multiply(dx, dy);
    EXPECT_LE(error(download(dy), expected, size), 5e-14);
    ours.multiply_single(1.0, dx, 0.0, 0.0, dy);
    EXPECT_LE(error(download(dy), expected, size), 3e-6);
    if (m.rows != m.cols) continue;
    Matrix step = y;
    multiply_step(m, 1.5, x, -0.7, 0.3, step, threads);
    upload(y, dy);
    ours.multiply_step(1.5, dx, -0.7, 0.3, dy);
    EXPECT_LE(error(download(dy), step, magnitude(m, 1.5, x, -0.7, 0.3, y)), 5e-14);
  }
}

INSTANTIATE_TEST_SUITE_P(Columns, CudaCsr,
                         ::testing::Values(1, 2, 3, 4, 5, 7, 8, 10, 11, 12, 16, 17, 20, 24, 28, 32,
                                           33, 48, 64, 65, 100, 300));

TEST(CudaCsr, IsAnOperatorWithADiagonal) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  const CsrMatrix m = matrix_with(1000, 1000, [](Index i) { return i % 30; });
  const Matrix x = numbers(1000, 10, 1), y = numbers(1000, 10, 2);
  const CsrOnDevice matrix(m);
  const CsrOperatorOnDevice op(matrix, 0.25);
  CudaBlock dx = op.new_block(10), dy = op.new_block(10);
  upload(x, dx);
  upload(y, dy);
  op.apply_step(2.0, dx, 0.5, -1.0, dy);
  Matrix expected = y;
  multiply_step(m, 2.0, x, 1.0, -1.0, expected, threads);
  EXPECT_LE((download(dy) - expected).cwiseAbs().maxCoeff(), 1e-13);
  op.apply(dx, dy);
  multiply_step(m, 1.0, x, 0.25, 0.0, expected, threads);
  EXPECT_LE((download(dy) - expected).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(CudaCsr, TakesArraysOfTheDevice) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  const CsrMatrix m = matrix_with(900, 900, [](Index i) { return i; });
  CsrOnDevice::Arrays arrays;
  arrays.row_start = DeviceArray<std::int64_t>(std::span(m.row_start));
  arrays.column = DeviceArray<std::int32_t>(std::span(m.column));
  arrays.value = DeviceArray<double>(std::span(m.value));
  const CsrOnDevice made(900, 900, std::move(arrays)), copied(m);
  const Matrix x = numbers(900, 10, 1);
  CudaBlock dx(900, 10), first(900, 10), second(900, 10);
  upload(x, dx);
  made.multiply(dx, first);
  copied.multiply(dx, second);
  EXPECT_TRUE(download(first) == download(second));
}

TEST(CudaCsr, NamesWrongShapes) {
  if (!has_device()) GTEST_SKIP() << "skipped: no device";
  const CsrOnDevice m(matrix_with(10, 5, [](Index) { return 1; }));
  CudaBlock x(5, 2), y(10, 2), short_y(9, 2);
  set_zero(x, 1);
  EXPECT_NO_THROW(m.multiply(x, y));
  EXPECT_THROW(m.multiply(x, short_y), ShapeError);
  EXPECT_THROW(m.multiply_step(1.0, x, 1.0, 0.0, y), ShapeError);
  EXPECT_THROW(m.multiply_single(1.0, x, 0.0, 0.0, y), Error);
  EXPECT_THROW(CsrOperatorOnDevice{m}, ShapeError);
}

TEST(CudaCsr, StatesItsMemoryBeforehand) {
  // 2^31 entries and more: nothing overflows.
  const std::int64_t entries = std::int64_t{5} << 31;
  EXPECT_GE(CsrOnDevice::device_bytes(1000, entries, entries, CsrValues::doubles),
            12 * static_cast<std::uint64_t>(entries));
  EXPECT_GE(CsrOnDevice::unweighted_device_bytes(1000, entries, 0),
            4 * static_cast<std::uint64_t>(entries));
  EXPECT_EQ(CsrOnDevice::work_bytes(1000, 10, 0, true, false), 0u);
  EXPECT_GE(CsrOnDevice::work_bytes(1000, 10, 0, true, true), 1000u * 10 * 4);
}

}  // namespace
}  // namespace stkr::cuda
