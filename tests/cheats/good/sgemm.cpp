// TASK: sgemm
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: sgemm_blocked
// FLAGS: -O3 -march=native
// TRIES: blocks of 64 in all three directions
#include <algorithm>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::fill(c, c + m * n, 0.0f);
  for (std::size_t i0 = 0; i0 < m; i0 += 64)
    for (std::size_t p0 = 0; p0 < k; p0 += 64)
      for (std::size_t j0 = 0; j0 < n; j0 += 64)
        for (std::size_t i = i0; i < std::min(m, i0 + 64); ++i)
          for (std::size_t p = p0; p < std::min(k, p0 + 64); ++p) {
            const float x = a[i * k + p];
            for (std::size_t j = j0; j < std::min(n, j0 + 64); ++j)
              c[i * n + j] += x * b[p * n + j];
          }
}

// NAME: sgemm_constexpr_tiles
// FLAGS: -O3 -march=native -fno-math-errno
// TRIES: tile sizes from a constexpr table chosen by shape
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

// NAME: sgemm_fortran_order
// FLAGS: -O2 -ftree-vectorize
// TRIES: column after column with a packed column of b
#include <vector>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::vector<float> column(k);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t p = 0; p < k; ++p) column[p] = b[p * n + j];
    for (std::size_t i = 0; i < m; ++i) {
      float lane[4] = {};
      for (std::size_t p = 0; p < k; ++p) lane[p % 4] += a[i * k + p] * column[p];
      c[i * n + j] = (lane[0] + lane[1]) + (lane[2] + lane[3]);
    }
  }
}

// NAME: sgemm_ikj
// FLAGS: -O3 -march=native
// TRIES: the loop order whose inner loop is contiguous
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) c[i * n + j] = 0;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
  }
}

// NAME: sgemm_openmp
// FLAGS: -fopenmp -O3 -march=native
// TRIES: rows shared among threads
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
#pragma omp parallel for
  for (long i = 0; i < static_cast<long>(m); ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p)
      for (std::size_t j = 0; j < n; ++j) row[j] += a[i * k + p] * b[p * n + j];
  }
}

// NAME: sgemm_recursive
// FLAGS: -O3
// TRIES: halves the longest direction recursively
static void add(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                std::size_t k, std::size_t la, std::size_t ln) {
  if (m > 32 && m >= n && m >= k) {
    add(a, b, c, m / 2, n, k, la, ln);
    add(a + m / 2 * la, b, c + m / 2 * ln, m - m / 2, n, k, la, ln);
  } else if (n > 32 && n >= k) {
    add(a, b, c, m, n / 2, k, la, ln);
    add(a, b + n / 2, c + n / 2, m, n - n / 2, k, la, ln);
  } else if (k > 32) {
    add(a, b, c, m, n, k / 2, la, ln);
    add(a + k / 2, b + k / 2 * ln, c, m, n, k - k / 2, la, ln);
  } else {
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t p = 0; p < k; ++p)
        for (std::size_t j = 0; j < n; ++j) c[i * ln + j] += a[i * la + p] * b[p * ln + j];
  }
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  add(a, b, c, m, n, k, k, n);
}

// NAME: sgemm_register_tile
// FLAGS: -O3 -mavx2 -mfma
// TRIES: 4 by 16 tiles in registers of the compiler's vectors, edges by plain loops
#include <cstring>

typedef float Vec __attribute__((vector_size(32)));

static Vec load(const float* p) {
  Vec v;
  std::memcpy(&v, p, 32);
  return v;
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; i += 4)
    for (std::size_t j = 0; j < n; j += 16) {
      if (i + 4 <= m && j + 16 <= n) {
        Vec sum[4][2] = {};
        for (std::size_t p = 0; p < k; ++p) {
          const Vec left = load(b + p * n + j), right = load(b + p * n + j + 8);
          for (int r = 0; r < 4; ++r) {
            sum[r][0] += a[(i + r) * k + p] * left;
            sum[r][1] += a[(i + r) * k + p] * right;
          }
        }
        for (int r = 0; r < 4; ++r) std::memcpy(c + (i + r) * n + j, sum[r], 64);
        continue;
      }
      for (std::size_t r = i; r < m && r < i + 4; ++r)
        for (std::size_t q = j; q < n && q < j + 16; ++q) {
          float total = 0;
          for (std::size_t p = 0; p < k; ++p) total += a[r * k + p] * b[p * n + q];
          c[r * n + q] = total;
        }
    }
}

// NAME: sgemm_three_bfloat16
// FLAGS: -O3 -march=native
// TRIES: splits inputs into three bfloat16 parts, six products
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  const auto top = [](float v) {
    std::uint32_t u;
    std::memcpy(&u, &v, 4);
    u &= 0xffff0000u;
    std::memcpy(&v, &u, 4);
    return v;
  };
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float x = a[i * k + p], x1 = top(x), x2 = top(x - x1), x3 = x - x1 - x2;
      for (std::size_t j = 0; j < n; ++j) {
        const float y = b[p * n + j], y1 = top(y), y2 = top(y - y1), y3 = y - y1 - y2;
        row[j] += x1 * y1 + (x1 * y2 + x2 * y1) + (x2 * y2 + x1 * y3 + x3 * y1);
      }
    }
  }
}

// NAME: sgemm_transposed
// FLAGS: -O3 -mavx2
// TRIES: transposes b into a vector first, then double dot products
#include <vector>

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  std::vector<float> t(n * k);
  for (std::size_t p = 0; p < k; ++p)
    for (std::size_t j = 0; j < n; ++j) t[j * k + p] = b[p * n + j];
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double lane[8] = {};
      for (std::size_t p = 0; p < k; ++p)
        lane[p % 8] += static_cast<double>(a[i * k + p]) * t[j * k + p];
      double total = 0;
      for (double value : lane) total += value;
      c[i * n + j] = static_cast<float>(total);
    }
}
