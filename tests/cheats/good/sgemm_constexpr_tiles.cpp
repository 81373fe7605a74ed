// NAME: sgemm_constexpr_tiles
// TASK: sgemm
// CLASS: good
// FLAGS: -O3 -march=native -fno-math-errno
// ALLOW: ok
// TRIES: tile sizes from a constexpr table chosen by shape
#include <cstddef>

struct Tile {
  std::size_t rows, depth;
};
static constexpr Tile tiles[] = {{8, 32}, {16, 64}, {32, 128}};
template <int T>

static void run(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i0 = 0; i0 < m; i0 += tiles[T].rows)
    for (std::size_t p0 = 0; p0 < k; p0 += tiles[T].depth)
      for (std::size_t i = i0; i < m && i < i0 + tiles[T].rows; ++i)
        for (std::size_t p = p0; p < k && p < p0 + tiles[T].depth; ++p)
          for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  if (m < 64) return run<0>(a, b, c, m, n, k);
  m < 256 ? run<1>(a, b, c, m, n, k) : run<2>(a, b, c, m, n, k);
}
