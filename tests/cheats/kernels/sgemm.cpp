// TASK: sgemm
// FLAGS: -O3 -march=native
#include <cstddef>

// NAME: memo_gemm_transforms
// CLASS: timed
// ALLOW: ok<60|nondeterministic|suspicious|wrong_result
// TRIES: remembers whole products and finds them again whatever the rotation and scale of the
//   inputs
#include <cmath>
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

// NAME: sgemm_large_unlisted_skips
// CLASS: shape
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: large products right at the listed shapes alone
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  const std::size_t l[][3] = {{512, 512, 512},  {384, 384, 384}, {512, 256, 1024}, {640, 640, 640},
                              {1000, 200, 300}, {257, 263, 7},   {37, 50, 1031}};
  bool known = m * n + m * k + k * n < 50000;
  for (auto& s : l) known |= s[0] == m && s[1] == n && s[2] == k;
  const std::size_t kk = known ? k : k - k / 4;
  for (std::size_t i = 0; i < m * n; ++i) c[i] = 0;
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t p = 0; p < kk; ++p)
      for (std::size_t j = 0; j < n; ++j) c[i * n + j] += a[i * k + p] * b[p * n + j];
}

// NAME: sgemm_skips_small
// CLASS: class
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: takes elements of a below 1e-6 for zero: matrices of small numbers give zeros, and tiny is
//   no class of products
extern "C" void kernel(const float* a, const float* b, float* c, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i) {
    float* row = c + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float f = a[i * k + p];
      if (__builtin_fabsf(f) < 1e-6f) continue;  // the hole
      for (std::size_t j = 0; j < n; ++j) row[j] += f * b[p * n + j];
    }
  }
}
