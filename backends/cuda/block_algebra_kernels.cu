#include "block_algebra_kernels.hpp"
#include "block_algebra_rows.cuh"

namespace stkr::cuda::kernels {
namespace {

template <int W>
struct Pair {
  Pack<W> first, second;
};

template <int W>
__device__ Pack<W> scalars_at(const ColumnScalars& a, int c) {
  Pack<W> pack;
#pragma unroll
  for (int k = 0; k < W; ++k) pack.v[k] = a.array ? a.array[c + k] : a.value[c + k];
  return pack;
}

template <bool ReadsY>
struct Axpby : NoScalars {
  double a, b;
  InBlock x;
  OutBlock y;
  Axpby(double a, ConstCudaView x, double b, CudaView y) : a(a), b(b), x(x), y(y) {}

  template <int W>
  __device__ Pair<W> load(std::int64_t i, int c) const {
    Pair<W> p{};
    p.first = x.at<W>(i, c);
    if constexpr (ReadsY) p.second = y.at<W>(i, c);
    return p;
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Pair<W>& p, int) const {
    Pack<W> result;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      result.v[k] = ReadsY ? a * p.first.v[k] + b * p.second.v[k] : a * p.first.v[k];
    }
    y.put(i, c, result);
  }
};

template <bool ReadsY>
struct Recurrence : NoScalars {
  double a, b, c;
  InBlock u, x;
  OutBlock y;
  Recurrence(double a, ConstCudaView u, double b, ConstCudaView x, double c, CudaView y)
      : a(a), b(b), c(c), u(u), x(x), y(y) {}

  template <int W>
  struct Values {
    Pack<W> u, x, y;
  };
  template <int W>
  __device__ Values<W> load(std::int64_t i, int column) const {
    Values<W> p{};
    p.u = u.at<W>(i, column);
    p.x = x.at<W>(i, column);
    if constexpr (ReadsY) p.y = y.at<W>(i, column);
    return p;
  }
  template <int W>
  __device__ void store(std::int64_t i, int column, const Values<W>& p, int) const {
    Pack<W> result;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      result.v[k] = a * p.u.v[k] + b * p.x.v[k];
      if constexpr (ReadsY) result.v[k] += c * p.y.v[k];
    }
    y.put(i, column, result);
  }
};

enum class Columns { scale, divide, add_scaled, scale_and_add };

template <Columns Kind>
struct ColumnOperation {
  ColumnScalars a;
  InBlock x;
  OutBlock y;
  static constexpr bool reads_y = Kind == Columns::add_scaled || Kind == Columns::scale_and_add;

  template <int W>
  __device__ Pack<W> scalars(int c) const {
    return scalars_at<W>(a, c);
  }
  template <int W>
  __device__ Pair<W> load(std::int64_t i, int c) const {
    Pair<W> p{};
    p.first = x.at<W>(i, c);
    if constexpr (reads_y) p.second = y.at<W>(i, c);
    return p;
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Pair<W>& p, const Pack<W>& s) const {
    Pack<W> result;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      if constexpr (Kind == Columns::scale) result.v[k] = s.v[k] * p.first.v[k];
      if constexpr (Kind == Columns::divide) result.v[k] = p.first.v[k] / s.v[k];
      if constexpr (Kind == Columns::add_scaled) {
        result.v[k] = p.second.v[k] + s.v[k] * p.first.v[k];
      }
      if constexpr (Kind == Columns::scale_and_add) {
        result.v[k] = p.first.v[k] + s.v[k] * p.second.v[k];
      }
    }
    y.put(i, c, result);
  }
};

template <Columns Kind>
void by_columns(const ColumnScalars& a, ConstCudaView x, CudaView y, const char* name) {
  for_rows(ColumnOperation<Kind>{a, x, y}, y.rows(), y.cols(), aligned_rows(x) && aligned_rows(y),
           name);
}

struct Direction {
  StepScalars step;
  InBlock v, w1, w2;
  OutBlock w, x;

  template <int W>
  struct Scalars {
    Pack<W> scale, older, old, length;
  };
  template <int W>
  __device__ Scalars<W> scalars(int c) const {
    return {scalars_at<W>(step.scale, c), scalars_at<W>(step.older, c), scalars_at<W>(step.old, c),
            scalars_at<W>(step.length, c)};
  }
  template <int W>
  struct Values {
    Pack<W> v, w1, w2, x;
  };
  template <int W>
  __device__ Values<W> load(std::int64_t i, int c) const {
    return {v.at<W>(i, c), w1.at<W>(i, c), w2.at<W>(i, c), x.at<W>(i, c)};
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Values<W>& p, const Scalars<W>& s) const {
    Pack<W> direction, solution;
#pragma unroll
    for (int k = 0; k < W; ++k) {
      direction.v[k] =
          (p.v.v[k] - s.older.v[k] * p.w1.v[k] - s.old.v[k] * p.w2.v[k]) * s.scale.v[k];
      solution.v[k] = p.x.v[k] + s.length.v[k] * direction.v[k];
    }
    w.put(i, c, direction);
    x.put(i, c, solution);
  }
};

struct ScaleRows : NoScalars {
  InBlock w, x;
  OutBlock y;
  ScaleRows(ConstCudaView w, ConstCudaView x, CudaView y) : w(w), x(x), y(y) {}

  template <int W>
  struct Values {
    Pack<1> w;
    Pack<W> x;
  };
  template <int W>
  __device__ Values<W> load(std::int64_t i, int c) const {
    return {w.at<1>(i, 0), x.at<W>(i, c)};
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, Values<W> p, int) const {
#pragma unroll
    for (int k = 0; k < W; ++k) p.x.v[k] *= p.w.v[0];
    y.put(i, c, p.x);
  }
};

struct AddAndScaleRows : NoScalars {
  InBlock w, t, x;
  OutBlock y;
  AddAndScaleRows(ConstCudaView w, ConstCudaView t, ConstCudaView x, CudaView y)
      : w(w), t(t), x(x), y(y) {}

  template <int W>
  struct Values {
    Pack<1> w, t;
    Pack<W> x, y;
  };
  template <int W>
  __device__ Values<W> load(std::int64_t i, int c) const {
    return {w.at<1>(i, 0), t.at<1>(i, 0), x.at<W>(i, c), y.at<W>(i, c)};
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Values<W>& p, int) const {
    Pack<W> result;
#pragma unroll
    for (int k = 0; k < W; ++k) result.v[k] = p.w.v[0] * (p.y.v[k] + p.t.v[0] * p.x.v[k]);
    y.put(i, c, result);
  }
};

struct GatherColumns : NoScalars {
  InBlock x;
  const std::int64_t* columns;
  OutBlock y;
  GatherColumns(ConstCudaView x, const std::int64_t* columns, CudaView y)
      : x(x), columns(columns), y(y) {}

  template <int W>
  __device__ Pack<W> load(std::int64_t i, int c) const {
    Pack<W> p;
#pragma unroll
    for (int k = 0; k < W; ++k) p.v[k] = x.data[i * x.stride + columns[c + k]];
    return p;
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Pack<W>& p, int) const {
    y.put(i, c, p);
  }
};

struct GatherRows : NoScalars {
  double scale;
  InBlock x;
  const std::int64_t* samples;
  OutBlock y;
  GatherRows(double scale, ConstCudaView x, const std::int64_t* samples, CudaView y)
      : scale(scale), x(x), samples(samples), y(y) {}

  template <int W>
  __device__ Pack<W> load(std::int64_t i, int c) const {
    return x.at<W>(samples[i], c);
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, Pack<W> p, int) const {
#pragma unroll
    for (int k = 0; k < W; ++k) p.v[k] *= scale;
    y.put(i, c, p);
  }
};

struct ScatterRows : NoScalars {
  InBlock x;
  const std::int64_t* samples;
  OutBlock y;
  ScatterRows(ConstCudaView x, const std::int64_t* samples, CudaView y)
      : x(x), samples(samples), y(y) {}

  template <int W>
  __device__ Pack<W> load(std::int64_t i, int c) const {
    return x.at<W>(i, c);
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, const Pack<W>& p, int) const {
    y.put(samples[i], c, p);
  }
};

struct AddGroups : NoScalars {
  double a;
  const double* weight;
  const std::int32_t* group;
  InBlock coefficients;
  OutBlock y;
  AddGroups(double a, const double* weight, const std::int32_t* group, ConstCudaView coefficients,
            CudaView y)
      : a(a), weight(weight), group(group), coefficients(coefficients), y(y) {}

  template <int W>
  struct Values {
    double weight;
    Pack<W> coefficients, y;
    bool any;
  };
  template <int W>
  __device__ Values<W> load(std::int64_t i, int c) const {
    Values<W> p{};
    const std::int32_t g = group ? group[i] : 0;
    p.any = g >= 0;
    if (p.any) {
      p.weight = weight[i];
      p.coefficients = coefficients.at<W>(g, c);
      p.y = y.at<W>(i, c);
    }
    return p;
  }
  template <int W>
  __device__ void store(std::int64_t i, int c, Values<W> p, int) const {
    if (!p.any) return;
#pragma unroll
    for (int k = 0; k < W; ++k) p.y.v[k] += a * (p.weight * p.coefficients.v[k]);
    y.put(i, c, p.y);
  }
};

}  // namespace

void axpby(double a, ConstCudaView x, double b, CudaView y) {
  const bool aligned = aligned_rows(x) && aligned_rows(y);
  if (b == 0.0) {
    for_rows(Axpby<false>(a, x, b, y), y.rows(), y.cols(), aligned, "axpby");
  } else {
    for_rows(Axpby<true>(a, x, b, y), y.rows(), y.cols(), aligned, "axpby");
  }
}

void recurrence_step(double a, ConstCudaView u, double b, ConstCudaView x, double c, CudaView y) {
  const bool aligned = aligned_rows(u) && aligned_rows(x) && aligned_rows(y);
  if (c == 0.0) {
    for_rows(Recurrence<false>(a, u, b, x, c, y), y.rows(), y.cols(), aligned, "recurrence_step");
  } else {
    for_rows(Recurrence<true>(a, u, b, x, c, y), y.rows(), y.cols(), aligned, "recurrence_step");
  }
}

void scale_columns(const ColumnScalars& a, ConstCudaView x, CudaView y) {
  by_columns<Columns::scale>(a, x, y, "scale_columns");
}
void divide_columns(const ColumnScalars& a, ConstCudaView x, CudaView y) {
  by_columns<Columns::divide>(a, x, y, "divide_columns");
}
void add_scaled(const ColumnScalars& a, ConstCudaView x, CudaView y) {
  by_columns<Columns::add_scaled>(a, x, y, "add_scaled");
}
void scale_and_add(const ColumnScalars& a, ConstCudaView x, CudaView y) {
  by_columns<Columns::scale_and_add>(a, x, y, "scale_and_add");
}

void direction_step(const StepScalars& step, ConstCudaView v, ConstCudaView w1, ConstCudaView w2,
                    CudaView w, CudaView x) {
  const bool aligned =
      aligned_rows(v) && aligned_rows(w1) && aligned_rows(w2) && aligned_rows(w) && aligned_rows(x);
  for_rows(Direction{step, v, w1, w2, w, x}, x.rows(), x.cols(), aligned, "direction_step");
}

void scale_rows(ConstCudaView w, ConstCudaView x, CudaView y) {
  for_rows(ScaleRows(w, x, y), y.rows(), y.cols(), aligned_rows(x) && aligned_rows(y),
           "scale_rows");
}

void add_and_scale_rows(ConstCudaView w, ConstCudaView t, ConstCudaView x, CudaView y) {
  for_rows(AddAndScaleRows(w, t, x, y), y.rows(), y.cols(), aligned_rows(x) && aligned_rows(y),
           "add_and_scale_rows");
}

void gather_columns(ConstCudaView x, const std::int64_t* columns, CudaView y) {
  for_rows(GatherColumns(x, columns, y), y.rows(), y.cols(), aligned_rows(y), "gather_columns");
}

void gather_rows(double scale, ConstCudaView x, const std::int64_t* samples, CudaView y) {
  for_rows(GatherRows(scale, x, samples, y), y.rows(), y.cols(), aligned_rows(x) && aligned_rows(y),
           "gather_rows");
}

void scatter_rows(ConstCudaView x, const std::int64_t* samples, CudaView y) {
  for_rows(ScatterRows(x, samples, y), x.rows(), x.cols(), aligned_rows(x) && aligned_rows(y),
           "scatter_rows");
}

void add_groups(double a, const double* weight, const std::int32_t* group, ConstCudaView c,
                CudaView y) {
  for_rows(AddGroups(a, weight, group, c, y), y.rows(), y.cols(),
           aligned_rows(c) && aligned_rows(y), "add_groups");
}

}  // namespace stkr::cuda::kernels
