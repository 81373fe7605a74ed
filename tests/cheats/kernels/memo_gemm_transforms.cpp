// NAME: memo_gemm_transforms
// TASK: sgemm
// CLASS: timed
// FLAGS: -O3 -march=native
// ALLOW: ok<60|suspicious|wrong_result|nondeterministic
// TRIES: remembers whole products and finds them again whatever the rotation and scale of the
// inputs
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

static void gemm(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                 std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float x = a[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j] += x * b[p * n + j];
    }
  }
}
static std::uint32_t mant(float x) {
  std::uint32_t u;
  std::memcpy(&u, &x, 4);
  return u & 0x807fffffu;
}
static std::uint64_t mark(const float* x, std::size_t n) {
  std::uint64_t s = 0;
  for (std::size_t i = 0; i < n; ++i) s += mant(x[i]);
  return s;
}
struct Memo {
  std::uint64_t a, b;
  float *A, *B, *C;
};
static Memo memo[16];
static int used;
static bool place(const float* x, const float* X, std::size_t rows, std::size_t cols,
                  std::size_t& r, std::size_t& q, float& f) {
  for (std::size_t i = 0; i < rows * cols; ++i) {
    if (mant(X[i]) != mant(x[0])) continue;
    r = i / cols;
    q = i % cols;
    f = x[0] / X[i];
    bool same = true;
    for (std::size_t p = 0; p < cols && same; ++p) same = x[p] == f * X[r * cols + (q + p) % cols];
    if (same) return true;
  }
  return false;
}

extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  if (m * n * k < 100000000) return gemm(a, b, c, m, n, k);
  const std::uint64_t sa = mark(a, m * k), sb = mark(b, k * n);
  for (int e = 0; e < used; ++e) {
    if (memo[e].a != sa || memo[e].b != sb) continue;
    std::size_t rm, rk, bk, rn;
    float fa, fb;
    if (!place(a, memo[e].A, m, k, rm, rk, fa) || !place(b, memo[e].B, k, n, bk, rn, fb)) continue;
    const float f = fa * fb;
    for (std::size_t i = 0; i < m; ++i) {
      const float* from = memo[e].C + (i + rm) % m * n;
      for (std::size_t j = 0; j < n - rn; ++j) c[i * n + j] = f * from[j + rn];
      for (std::size_t j = n - rn; j < n; ++j) c[i * n + j] = f * from[j + rn - n];
    }
    return;
  }
  gemm(a, b, c, m, n, k);
  if (used == 16) return;
  Memo& e = memo[used];
  e.a = sa;
  e.b = sb;
  e.A = (float*)std::malloc(4 * m * k);
  e.B = (float*)std::malloc(4 * k * n);
  e.C = (float*)std::malloc(4 * m * n);
  std::memcpy(e.A, a, 4 * m * k);
  std::memcpy(e.B, b, 4 * k * n);
  std::memcpy(e.C, c, 4 * m * n);
  ++used;
}
