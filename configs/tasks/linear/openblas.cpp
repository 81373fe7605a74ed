// Baseline: OpenBLAS on one thread. Trusted: it loads a library.
#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>

namespace {

using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                       int lda, const float* b, int ldb, float beta, float* c, int ldc);

/// OpenBLAS 0.3.21 takes processors younger than itself for old ones and then runs their slow kernels.
const char* best_core() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return "SkylakeX";
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? "Haswell" : nullptr;
}

Sgemm load() {
  if (const char* core = best_core()) setenv("OPENBLAS_CORETYPE", core, 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  if (auto set = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"))) set(1);
  return reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

}  // namespace

extern "C" void kernel(const float* x, const float* w, float* y, std::size_t m, std::size_t n, std::size_t k) {
  static const Sgemm sgemm = load();
  if (sgemm == nullptr) return;  // the judge sees an output that was never written
  constexpr int row_major = 101, plain = 111, transposed = 112;
  const int rows = static_cast<int>(m), columns = static_cast<int>(n), depth = static_cast<int>(k);
  sgemm(row_major, plain, transposed, rows, columns, depth, 1.0f, x, depth, w, depth, 0.0f, y, columns);
}
