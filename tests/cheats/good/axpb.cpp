// TASK: axpb
// CLASS: good
// ALLOW: ok
#include <cstddef>

// NAME: axpb_assume_aligned
// FLAGS: -O3 -march=native
// TRIES: relies on the declared alignment of 64 bytes and on no overlap
extern "C" void kernel(const float* __restrict in, float* __restrict out, std::size_t n) {
  auto a = static_cast<const float*>(__builtin_assume_aligned(in, 64));
  auto b = static_cast<float*>(__builtin_assume_aligned(out, 64));
  for (std::size_t i = 0; i < n; ++i) b[i] = 2.0f * a[i] + 1.0f;
}

// NAME: axpb_avx2_masked
// FLAGS: -mavx2
// TRIES: AVX2 with a masked tail: reads and writes nothing beyond the end
#include <immintrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const __m256 one = _mm256_set1_ps(1.0f);
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (std::size_t i = 0; i < n; i += 8) {
    const int left = n - i < 8 ? static_cast<int>(n - i) : 8;
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(left), lanes);
    const __m256 x = _mm256_maskload_ps(in + i, mask);
    _mm256_maskstore_ps(out + i, mask, _mm256_add_ps(_mm256_add_ps(x, x), one));
  }
}

// NAME: axpb_avx2_unaligned
// TRIES: AVX2 by target attribute, unaligned loads from the front, the rest alone
#include <immintrin.h>

__attribute__((target("avx2"))) static std::size_t vectors(const float* in, float* out,
                                                           std::size_t n) {
  std::size_t i = 0;
  const __m256 two = _mm256_set1_ps(2.0f), one = _mm256_set1_ps(1.0f);
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_add_ps(_mm256_mul_ps(two, _mm256_loadu_ps(in + i)), one));
  return i;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = vectors(in, out, n); i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_avx512_guarded
// FLAGS: -march=native
// TRIES: AVX-512 where the compiler has it, plain elsewhere
#ifdef __AVX512F__
#include <immintrin.h>
#endif

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
#ifdef __AVX512F__
  for (; i < n; i += 16) {
    const __mmask16 mask = static_cast<__mmask16>(n - i < 16 ? (1u << (n - i)) - 1 : 0xffff);
    const __m512 x = _mm512_maskz_loadu_ps(mask, in + i);
    _mm512_mask_storeu_ps(out + i, mask,
                          _mm512_fmadd_ps(_mm512_set1_ps(2.0f), x, _mm512_set1_ps(1.0f)));
  }
#endif
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_blocked_stack
// TRIES: blocks of 64 KiB go through an array on the stack
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  float block[16384];
  for (std::size_t i = 0; i < n; i += 16384) {
    const std::size_t m = n - i < 16384 ? n - i : 16384;
    std::memcpy(block, in + i, m * 4);
    for (std::size_t j = 0; j < m; ++j) block[j] = block[j] * 2.0f + 1.0f;
    std::memcpy(out + i, block, m * 4);
  }
}

// NAME: axpb_double
// FLAGS: -O3
// TRIES: in double precision
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(2.0 * in[i] + 1.0);
}

// NAME: axpb_dynamic_cast
// TRIES: a class hierarchy, an object behind a shared pointer, a dynamic_cast to find out what it
//   is
#include <memory>

namespace {

struct Operation {
  virtual ~Operation() = default;
};

struct Line : Operation {
  Line(float a, float b) : slope(a), shift(b) {}
  float slope, shift;
};

std::shared_ptr<Operation> operation(float slope) { return std::make_shared<Line>(slope, 1.0f); }

}  // namespace

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const auto known = operation(2.0f);
  asm volatile("" : : "r"(known.get()) : "memory");  // nothing may be known of it
  if (const auto* line = dynamic_cast<const Line*>(known.get())) {
    for (std::size_t i = 0; i < n; ++i) out[i] = line->slope * in[i] + line->shift;
  }
}

// NAME: axpb_fma
// FLAGS: -march=native
// TRIES: fused multiply-add
#include <cmath>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = std::fma(2.0f, in[i], 1.0f);
}

// NAME: axpb_ftz_restored
// TRIES: flushes subnormals while it works and restores the control word
#include <xmmintrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
  _mm_setcsr(before);
}

// NAME: axpb_goto
// TRIES: Duff's device
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  std::size_t rounds = (n + 3) / 4;
  switch (n % 4) {
    case 0:
      do {
        *out++ = 2.0f * *in++ + 1.0f;
        [[fallthrough]];
        case 3: *out++ = 2.0f * *in++ + 1.0f; [[fallthrough]];
        case 2: *out++ = 2.0f * *in++ + 1.0f; [[fallthrough]];
        case 1: *out++ = 2.0f * *in++ + 1.0f;
      } while (--rounds > 0);
  }
}

// NAME: axpb_inline_assembly
// TRIES: SSE arithmetic in inline assembly
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    float x = in[i];
    const float one = 1.0f;
    asm("addss %0, %0\n addss %1, %0" : "+x"(x) : "x"(one));
    out[i] = x;
  }
}

// NAME: axpb_lambda
// TRIES: standard algorithm with a lambda
#include <algorithm>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::transform(in, in + n, out, [](float x) { return 2 * x + 1; });
}

// NAME: axpb_lazy_table
// TRIES: a table of coefficients built at the first call
struct Table {
  float slope[64], shift[64];
  Table() {
    for (int i = 0; i < 64; ++i) slope[i] = 2.0f, shift[i] = 1.0f;
  }
};

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const Table table;
  for (std::size_t i = 0; i < n; ++i) out[i] = table.slope[i % 64] * in[i] + table.shift[i % 64];
}

// NAME: axpb_openmp_for
// FLAGS: -fopenmp
// TRIES: an OpenMP loop with two threads asked for
extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp parallel for num_threads(2) schedule(static)
  for (long i = 0; i < static_cast<long>(n); ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_openmp_simd
// FLAGS: -fopenmp -O3
// TRIES: an OpenMP simd loop
extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_openmp_tasks
// FLAGS: -fopenmp
// TRIES: OpenMP tasks of 64 Ki values
#include <algorithm>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
#pragma omp parallel
#pragma omp single
  for (std::size_t begin = 0; begin < n; begin += 65536) {
#pragma omp task firstprivate(begin)
    for (std::size_t i = begin; i < std::min(n, begin + 65536); ++i) out[i] = 2.0f * in[i] + 1.0f;
  }
}

// NAME: axpb_overlapping_tail
// FLAGS: -O3
// TRIES: the last vector overlaps the one before: some values are written twice
#include <cstring>

typedef float Vec __attribute__((vector_size(16)));

static void one(const float* in, float* out) {
  Vec v;
  std::memcpy(&v, in, 16);
  v = v + v + 1.0f;
  std::memcpy(out, &v, 16);
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (n < 4) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
    return;
  }
  for (std::size_t i = 0; i + 4 <= n; i += 4) one(in + i, out + i);
  one(in + n - 4, out + n - 4);
}

// NAME: axpb_peeling
// TRIES: peels to a 32-byte boundary of the output, then unrolls by 4
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i < n && reinterpret_cast<std::uintptr_t>(out + i) % 32; ++i) out[i] = 2.0f * in[i] + 1.0f;
  for (; i + 4 <= n; i += 4) {
    out[i] = 2.0f * in[i] + 1.0f;
    out[i + 1] = 2.0f * in[i + 1] + 1.0f;
    out[i + 2] = 2.0f * in[i + 2] + 1.0f;
    out[i + 3] = 2.0f * in[i + 3] + 1.0f;
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_prefetch
// FLAGS: -O2
// TRIES: prefetches far ahead, also past the end, where a prefetch is harmless
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    if (i % 16 == 0) __builtin_prefetch(in + i + 512), __builtin_prefetch(out + i + 512, 1);
    out[i] = in[i] + in[i] + 1.0f;
  }
}

// NAME: axpb_recursive
// TRIES: halves the range recursively
static void run(const float* in, float* out, std::size_t n) {
  if (n > 512) {
    run(in, out, n / 2);
    run(in + n / 2, out + n / 2, n - n / 2);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) { run(in, out, n); }

// NAME: axpb_rep_string
// TRIES: copies by rep movsb, then works in place
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const void* from = in;
  void* to = out;
  std::size_t bytes = n * 4;
  asm volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(bytes) : : "memory");
  for (std::size_t i = 0; i < n; ++i) out[i] += out[i] + 1.0f;
}

// NAME: axpb_reversed
// TRIES: from the end to the beginning
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  while (n--) out[n] = 2.0f * in[n] + 1.0f;
}

// NAME: axpb_streaming
// TRIES: non-temporal stores to the aligned output, a fence at the end
#include <immintrin.h>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    const __m128 x = _mm_load_ps(in + i);
    _mm_stream_ps(out + i, _mm_add_ps(_mm_add_ps(x, x), _mm_set1_ps(1.0f)));
  }
  _mm_sfence();
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_strided
// TRIES: seven interleaved passes
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t first = 0; first < 7; ++first)
    for (std::size_t i = first; i < n; i += 7) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_target_clones
// TRIES: chooses by the processor at run time, without an indirect function
__attribute__((target("avx2"))) static void wide(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

static void plain(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  __builtin_cpu_init();
  __builtin_cpu_supports("avx2") ? wide(in, out, n) : plain(in, out, n);
}

// NAME: axpb_vector_extension
// FLAGS: -O3 -mavx2
// TRIES: vectors of the compiler with 16 lanes, moved by memcpy
#include <cstring>

typedef float Vec __attribute__((vector_size(64)));

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    Vec v;
    std::memcpy(&v, in + i, 64);
    v = v * 2.0f + 1.0f;
    std::memcpy(out + i, &v, 64);
  }
  for (; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: axpb_vector_scratch
// TRIES: through a std::vector as scratch
#include <algorithm>
#include <vector>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::vector<float> own(in, in + n);
  for (float& value : own) value = 2.0f * value + 1.0f;
  std::copy(own.begin(), own.end(), out);
}

// NAME: axpb_x87
// FLAGS: -mfpmath=387
// ALLOW: ok|rejected
// TRIES: computes on the x87 unit, whose flag may be refused
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(2.0L * in[i] + 1.0L);
}
