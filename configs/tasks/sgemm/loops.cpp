// Matrix product by plain loops: their order, the tile of each, and what the compiler makes of them.
// @task sgemm
// @knob ORDER enum {ijk, ikj, jki, kij} = ikj            order of the loops inside a tile
// @knob TILE_I int {1, 2, 4, 8, 16, 64, 4096} = 64       rows of c in a tile
// @knob TILE_J int {16, 32, 64, 128, 256, 512, 4096} = 256  columns of c in a tile
// @knob TILE_K int {4, 8, 16, 64, 256, 4096} = 64        depth of a tile
// @knob OUTER enum {ijk, ikj, kij, jik} = ikj            order of the loops over tiles
// @knob ROW_SUM bool = false                             sums of one row of the tile live in an array, not in c
// @require ROW_SUM == 0 || (ORDER == 1 && TILE_J <= 512)
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-trapping-math?; -fno-signed-zeros?; -fassociative-math?; -ftree-loop-distribution?
#include <cstddef>

namespace {

struct Range {
  std::size_t from, to;
};

struct Problem {
  const float* __restrict a;
  const float* __restrict b;
  float* __restrict c;
  std::size_t n, k;
};

inline void tile(const Problem& g, Range i, Range j, Range p) {
  const float* __restrict a = g.a;
  const float* __restrict b = g.b;
  float* __restrict c = g.c;
  const std::size_t n = g.n, k = g.k;
  if (ROW_SUM) {
    for (std::size_t r = i.from; r < i.to; ++r) {
      float sum[TILE_J];
      const std::size_t width = j.to - j.from;
      for (std::size_t t = 0; t < width; ++t) sum[t] = c[r * n + j.from + t];
      for (std::size_t q = p.from; q < p.to; ++q)
        for (std::size_t t = 0; t < width; ++t) sum[t] += a[r * k + q] * b[q * n + j.from + t];
      for (std::size_t t = 0; t < width; ++t) c[r * n + j.from + t] = sum[t];
    }
  } else if (ORDER == ORDER_ijk) {
    for (std::size_t r = i.from; r < i.to; ++r)
      for (std::size_t t = j.from; t < j.to; ++t) {
        float sum = c[r * n + t];
        for (std::size_t q = p.from; q < p.to; ++q) sum += a[r * k + q] * b[q * n + t];
        c[r * n + t] = sum;
      }
  } else if (ORDER == ORDER_ikj) {
    for (std::size_t r = i.from; r < i.to; ++r)
      for (std::size_t q = p.from; q < p.to; ++q)
        for (std::size_t t = j.from; t < j.to; ++t) c[r * n + t] += a[r * k + q] * b[q * n + t];
  } else if (ORDER == ORDER_jki) {
    for (std::size_t t = j.from; t < j.to; ++t)
      for (std::size_t q = p.from; q < p.to; ++q)
        for (std::size_t r = i.from; r < i.to; ++r) c[r * n + t] += a[r * k + q] * b[q * n + t];
  } else {
    for (std::size_t q = p.from; q < p.to; ++q)
      for (std::size_t r = i.from; r < i.to; ++r)
        for (std::size_t t = j.from; t < j.to; ++t) c[r * n + t] += a[r * k + q] * b[q * n + t];
  }
}

template <class Body>
inline void over(std::size_t size, std::size_t step, Body body) {
  for (std::size_t from = 0; from < size; from += step) body(Range{from, from + step < size ? from + step : size});
}

}  // namespace

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n, std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0.0f;
  const Problem g = {a, b, c, n, k};
  const auto rows = [&](auto body) { over(m, TILE_I, body); };
  const auto columns = [&](auto body) { over(n, TILE_J, body); };
  const auto depth = [&](auto body) { over(k, TILE_K, body); };
  if (OUTER == OUTER_ijk)
    rows([&](Range i) { columns([&](Range j) { depth([&](Range p) { tile(g, i, j, p); }); }); });
  else if (OUTER == OUTER_ikj)
    rows([&](Range i) { depth([&](Range p) { columns([&](Range j) { tile(g, i, j, p); }); }); });
  else if (OUTER == OUTER_kij)
    depth([&](Range p) { rows([&](Range i) { columns([&](Range j) { tile(g, i, j, p); }); }); });
  else
    columns([&](Range j) { rows([&](Range i) { depth([&](Range p) { tile(g, i, j, p); }); }); });
}
