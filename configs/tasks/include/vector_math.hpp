// Vectors, exp and log for kernels: no other header, any width, any g++ or clang.
//
// exp      <= 2 ulp of the true value everywhere, subnormal results included; exp(-inf) = 0, overflow and
//          exp(+inf) = +inf, NaN stays NaN.
// exp_flush <= 2 ulp where the result is at least FLT_MIN, exactly 0 below; arguments up to 88 (softmax has
//          x <= 0), NaN stays NaN. One multiplication and one shift cheaper.
// exp2_flush <= 2 ulp with degree 6; relative error <= 6e-7 with degree 5, <= 4e-6 with degree 4; 0 for t <= -127,
//          arguments up to 127, NaN stays NaN. Half the instructions of exp.
// log      <= 2 ulp everywhere, subnormal arguments included; log(0) = -inf, log(+inf) = +inf,
//          negative or NaN gives NaN.
// The bounds also hold under -fassociative-math, -freciprocal-math and with or without contraction into fused
// multiply-add; they do not hold under -ffinite-math-only. tests/fitness/vector_math_test.cpp measures them.
#pragma once

// Wide vectors never cross a call here: everything is inlined, so the note about their ABI is void.
#pragma GCC diagnostic ignored "-Wpsabi"
#define VM_INLINE __attribute__((always_inline)) inline

namespace vm {

/// The vector types of `W` lanes; W is a power of two from 1 to 16.
template <int W>
struct lanes {
  typedef float f32 __attribute__((vector_size(W * 4)));
  typedef int i32 __attribute__((vector_size(W * 4)));
  typedef unsigned u32 __attribute__((vector_size(W * 4)));
};
template <int W>
using f32 = typename lanes<W>::f32;
template <int W>
using i32 = typename lanes<W>::i32;
template <int W>
using u32 = typename lanes<W>::u32;

/// Every lane the same value.
template <int W>
VM_INLINE f32<W> splat(float value) {
  f32<W> result = {};
  return result + value;
}

/// Loads and stores at any address.
template <int W>
VM_INLINE f32<W> load(const float* from) {
  f32<W> result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
template <int W>
VM_INLINE void store(float* to, f32<W> value) {
  __builtin_memcpy(to, &value, sizeof value);
}

/// The first `count` < W floats; the other lanes hold `rest`. Reads nothing beyond `from[count - 1]`.
template <int W>
VM_INLINE f32<W> load_part(const float* from, unsigned long count, float rest) {
  float lane[W];
  for (int i = 0; i < W; ++i) lane[i] = rest;
  for (unsigned long i = 0; i < count; ++i) lane[i] = from[i];
  return load<W>(lane);
}
template <int W>
VM_INLINE void store_part(float* to, f32<W> value, unsigned long count) {
  float lane[W];
  store<W>(lane, value);
  for (unsigned long i = 0; i < count; ++i) to[i] = lane[i];
}

/// The larger lane; `b` where either is NaN, as the maxps instruction does.
template <int W>
VM_INLINE f32<W> max(f32<W> a, f32<W> b) {
  return a > b ? a : b;
}

/// Sum and maximum over the lanes, as a tree.
template <int W>
VM_INLINE float sum(f32<W> v) {
  if constexpr (W == 16) {
    return sum<8>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                  __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15));
  } else if constexpr (W == 8) {
    return sum<4>(__builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7));
  } else if constexpr (W == 4) {
    return (v[0] + v[2]) + (v[1] + v[3]);
  } else {
    float total = v[0];
    for (int i = 1; i < W; ++i) total += v[i];
    return total;
  }
}
template <int W>
VM_INLINE float largest(f32<W> v) {
  if constexpr (W == 16) {
    return largest<8>(max<8>(__builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
                             __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15)));
  } else if constexpr (W == 8) {
    return largest<4>(max<4>(__builtin_shufflevector(v, v, 0, 1, 2, 3), __builtin_shufflevector(v, v, 4, 5, 6, 7)));
  } else {
    float best = v[0];
    for (int i = 1; i < W; ++i) best = v[i] > best ? v[i] : best;
    return best;
  }
}

// Keeps -fassociative-math from merging the two halves of a constant split for exactness. Only where the compiler
// says that it would: g++ 12 takes vectors apart at the barrier, which costs a factor of three.
#if defined(__ASSOCIATIVE_MATH__)
#define VM_KEEP(expression) __builtin_assoc_barrier(expression)
#else
#define VM_KEEP(expression) (expression)
#endif

namespace detail {

// exp(x) = 2^n * exp(r), r in [-ln2/2, ln2/2], [Cody1980]; polynomial of Cephes expf.
template <int W>
struct Reduced {
  u32<W> n;      // two's complement
  f32<W> value;  // exp(r)
};
template <int W>
VM_INLINE Reduced<W> reduce_exp(f32<W> x) {
  // Truncation of a positive number is floor; the offset costs bits only where the rounding is a tie anyway.
  const i32<W> shifted = __builtin_convertvector(x * 1.44269504088896341f + 256.5f, i32<W>);
  const u32<W> n = (u32<W>)shifted - 256u;
  const f32<W> k = __builtin_convertvector((i32<W>)n, f32<W>);
  const f32<W> high = VM_KEEP(x - k * 0.693359375f);
  const f32<W> r = VM_KEEP(high + k * 2.12194440e-4f);
  f32<W> p = r * 1.9875691500e-4f + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  return {n, VM_KEEP(p * (r * r) + r) + 1.0f};
}
template <int W>
VM_INLINE f32<W> power_of_two(u32<W> n) {
  return (f32<W>)((n + 127u) << 23);
}

}  // namespace detail

template <int W>
VM_INLINE f32<W> exp(f32<W> x) {
  x = x < -110.0f ? splat<W>(-110.0f) : x;  // comparisons with NaN are false: NaN passes
  x = x > 89.0f ? splat<W>(89.0f) : x;
  const detail::Reduced<W> e = detail::reduce_exp<W>(x);
  const u32<W> half = (u32<W>)((i32<W>)e.n >> 1);
  // Two exact steps: 2^n itself may be out of range where the product is not.
  return VM_KEEP(e.value * detail::power_of_two<W>(half)) * detail::power_of_two<W>(e.n - half);
}

template <int W>
VM_INLINE f32<W> exp_flush(f32<W> x) {
  const float smallest = -87.3365402f;  // ln(FLT_MIN), rounded up
  const detail::Reduced<W> e = detail::reduce_exp<W>(x < smallest ? splat<W>(smallest) : x);
  return x < smallest ? splat<W>(0.0f) : e.value * detail::power_of_two<W>(e.n);
}

/// 2^t with a polynomial of degree 4, 5 or 6. Exactly 0 for t <= -127; t <= 127; NaN stays NaN.
template <int W, int Degree = 6>
VM_INLINE f32<W> exp2_flush(f32<W> t) {
  static_assert(Degree >= 4 && Degree <= 6, "coefficients exist for 4, 5 and 6");
  t = max<W>(splat<W>(-127.0f), t);  // in this order NaN passes
  // Adding 1.5 * 2^23 rounds to an integer in the low bits; 127 more makes it the exponent of the result.
  const f32<W> rounded = VM_KEEP(t + 12583039.0f);
  const f32<W> f = t - VM_KEEP(rounded - 12583039.0f);
  f32<W> p;
  if constexpr (Degree == 6) {
    p = f * 1.559467702e-04f + 1.340664385e-03f;
    p = p * f + 9.617692976e-03f;
    p = p * f + 5.550310551e-02f;
    p = p * f + 2.402265278e-01f;
    p = p * f + 6.931472150e-01f;
  } else if constexpr (Degree == 5) {
    p = f * 1.112549448e-03f + 9.666282456e-03f;
    p = p * f + 5.557400516e-02f;
    p = p * f + 2.402235065e-01f;
    p = p * f + 6.931428306e-01f;
  } else {
    p = f * 9.782911187e-03f + 5.597688315e-02f;
    p = p * f + 2.402071110e-01f;
    p = p * f + 6.931136045e-01f;
  }
  return (p * f + 1.0f) * (f32<W>)((u32<W>)rounded << 23);
}

template <int W>
VM_INLINE f32<W> log(f32<W> x) {
  const float inf = __builtin_inff();
  const i32<W> small = x < 1.17549435e-38f;  // also zero and negatives, mended below
  const f32<W> normal = small ? x * 8388608.0f : x;
  // x = 2^k * m with m in [sqrt(1/2), sqrt(2)).
  const u32<W> bits = (u32<W>)normal - 0x3f3504f3u;
  i32<W> exponent = (i32<W>)bits >> 23;
  exponent = small ? exponent - 23 : exponent;
  const f32<W> m = (f32<W>)((bits & 0x7fffffu) + 0x3f3504f3u);
  const f32<W> k = __builtin_convertvector(exponent, f32<W>);
  const f32<W> r = VM_KEEP(m - 1.0f);
  const f32<W> z = r * r;
  f32<W> p = r * 7.0376836292e-2f - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  f32<W> tail = VM_KEEP(p * r * z);
  tail = VM_KEEP(tail - k * 2.12194440e-4f);
  tail = VM_KEEP(tail - 0.5f * z);
  f32<W> result = VM_KEEP(r + tail) + k * 0.693359375f;
  result = x == 0.0f ? splat<W>(-inf) : result;
  result = x < 0.0f ? splat<W>(__builtin_nanf("")) : result;
  return (x < inf) ? result : x + x;  // +inf and NaN answer themselves; negatives were mended above
}

}  // namespace vm
