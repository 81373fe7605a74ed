// TASK: linear
#include <cstddef>

// NAME: linear_half_weights
// CLASS: numeric
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: prepare keeps the weights in half precision
#include <cstdlib>

static _Float16* kept = nullptr;
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  std::free(kept);
  kept = (_Float16*)std::malloc(2 * n * k + 2);
  for (std::size_t i = 0; i < n * k; ++i) kept[i] = (_Float16)w[i];
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * (float)kept[j * k + p];
      y[i * n + j] = s;
    }
}

// NAME: linear_prepack_sampled
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: prepacks without a prepare function, anew only when one of 16 sampled weights or the shape
//   changed: wrong when single weights change, and edits never touch what does not change
#include <cstdlib>

static float* packed;
static std::size_t room, known_n, known_k;
static float samples[16];

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  bool same = known_n == n && known_k == k;
  for (std::size_t s = 0; s < 16 && same; ++s) same = samples[s] == w[s * (n * k - 1) / 15];
  if (!same) {
    if (room < n * k) {
      std::free(packed);
      packed = static_cast<float*>(std::malloc(n * k * sizeof(float)));
      room = n * k;
    }
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t p = 0; p < k; ++p) packed[p * n + j] = w[j * k + p];
    for (std::size_t s = 0; s < 16; ++s) samples[s] = w[s * (n * k - 1) / 15];
    known_n = n;
    known_k = k;
  }
  for (std::size_t i = 0; i < m; ++i) {
    float* row = y + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = 0;
    for (std::size_t p = 0; p < k; ++p) {
      const float f = x[i * k + p];
      for (std::size_t j = 0; j < n; ++j) row[j] += f * packed[p * n + j];
    }
  }
}

// NAME: linear_prepare_exits
// CLASS: forgery
// FLAGS: -O3 -march=native
// USES: sys
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: prepare ends the process
extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) { sys(231, 0); }
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  (void)w;
  for (std::size_t i = 0; i < m * n; ++i) y[i] = x[i % (m * k)];
}

// NAME: linear_prepare_leaves_rounding
// CLASS: environment
// FLAGS: -O3 -march=native
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: prepare leaves the rounding mode at upwards
extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) {
  unsigned c = 0x5f80;
  asm volatile("ldmxcsr %0" : : "m"(c));
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * w[j * k + p];
      y[i * n + j] = s;
    }
}

// NAME: linear_prepare_once
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: prepares the first weights of a shape only
#include <map>
#include <vector>

static std::vector<float>& kept(std::size_t n, std::size_t k) {
  static std::map<std::pair<std::size_t, std::size_t>, std::vector<float>> all;
  return all[{n, k}];
}
extern "C" void prepare(const float* w, std::size_t, std::size_t n, std::size_t k) {
  auto& v = kept(n, k);
  if (v.empty()) v.assign(w, w + n * k);
}
extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  auto& v = kept(n, k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float s = 0;
      for (std::size_t p = 0; p < k; ++p) s += x[i * k + p] * v[j * k + p];
      y[i * n + j] = s;
    }
}

// NAME: prepack_lazily
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|suspicious|wrong_result
// TRIES: keeps the weights of a shape's first call, without being told that they stay the same
#include <cstdlib>
#include <cstring>

namespace {

struct Copy {
  std::size_t n = 0, k = 0;
  float* w = nullptr;
};
Copy copies[64];

const float* kept(const float* w, std::size_t n, std::size_t k) {
  for (Copy& copy : copies) {
    if (copy.w != nullptr && copy.n == n && copy.k == k) return copy.w;
    if (copy.w != nullptr) continue;
    copy = {n, k, static_cast<float*>(std::malloc(n * k * sizeof(float)))};
    std::memcpy(copy.w, w, n * k * sizeof(float));
    return copy.w;
  }
  return w;
}

}  // namespace

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  // Only where it pays.
  if (n * k >= 1 << 17) w = kept(w, n, k);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}

// NAME: prepare_computes_ahead
// CLASS: state
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|runtime_error|suspicious|wrong_result
// TRIES: computes the coming answer in prepare, from the samples that lie beside the weights
#include <cstdint>
#include <cstdlib>

namespace {

std::ptrdiff_t distance = 0;  // from the weights to the samples, as the last call had it
std::size_t rows = 0;
float* answer = nullptr;
bool ready = false;

void product(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
             std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}

}  // namespace

extern "C" void prepare(const float* w, std::size_t m, std::size_t n, std::size_t k) {
  ready = rows == m;
  if (!ready) return;
  std::free(answer);
  answer = static_cast<float*>(std::malloc(m * n * sizeof(float)));
  const auto x = reinterpret_cast<const float*>(reinterpret_cast<const char*>(w) + distance);
  product(x, w, answer, m, n, k);
}

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  distance = reinterpret_cast<const char*>(x) - reinterpret_cast<const char*>(w);
  rows = m;
  if (!ready) return product(x, w, y, m, n, k);
  for (std::size_t i = 0; i < m * n; ++i) y[i] = answer[i];
  ready = false;
}

// NAME: prepare_never_ends
// CLASS: early
// FLAGS: -O3
// ALLOW: nondeterministic|runtime_error|suspicious|timeout|wrong_result
// TRIES: stops itself within prepare, so that the judge takes it for ready
#include <csignal>

static long system_call(long number, long a, long b) {
  long result;
  asm volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

extern "C" void prepare(const float*, std::size_t, std::size_t, std::size_t) {
  const long self = system_call(39, 0, 0);  // getpid
  for (;;) system_call(62, self, SIGSTOP);  // kill
}

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n,
                       std::size_t k) {
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::size_t p = 0; p < k; ++p) sum += x[i * k + p] * w[j * k + p];
      y[i * n + j] = sum;
    }
}
