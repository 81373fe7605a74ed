#pragma once
// Mathematics in float, and bits.

HIP_INLINE float expf(float x) { return __builtin_expf(x); }
HIP_INLINE float exp2f(float x) { return __builtin_exp2f(x); }
HIP_INLINE float logf(float x) { return __builtin_logf(x); }
HIP_INLINE float log2f(float x) { return __builtin_log2f(x); }
HIP_INLINE float log10f(float x) { return __builtin_log10f(x); }
HIP_INLINE float sqrtf(float x) { return __builtin_sqrtf(x); }
HIP_INLINE float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }
HIP_INLINE float fabsf(float x) { return __builtin_fabsf(x); }
HIP_INLINE float floorf(float x) { return __builtin_floorf(x); }
HIP_INLINE float ceilf(float x) { return __builtin_ceilf(x); }
HIP_INLINE float truncf(float x) { return __builtin_truncf(x); }
HIP_INLINE float rintf(float x) { return __builtin_rintf(x); }
HIP_INLINE float fminf(float a, float b) { return __builtin_fminf(a, b); }
HIP_INLINE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
HIP_INLINE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
HIP_INLINE float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
HIP_INLINE float nanf(const char*) { return __builtin_nanf(""); }
HIP_INLINE bool isnan(float x) { return __builtin_isnan(x); }
HIP_INLINE bool isinf(float x) { return __builtin_isinf(x); }
HIP_INLINE bool isfinite(float x) { return __builtin_isfinite(x); }

HIP_INLINE double fabs(double x) { return __builtin_fabs(x); }
HIP_INLINE double fmin(double a, double b) { return __builtin_fmin(a, b); }
HIP_INLINE double fmax(double a, double b) { return __builtin_fmax(a, b); }
HIP_INLINE bool isnan(double x) { return __builtin_isnan(x); }
HIP_INLINE bool isinf(double x) { return __builtin_isinf(x); }
HIP_INLINE bool isfinite(double x) { return __builtin_isfinite(x); }

// Fast ones: v_exp_f32, v_log_f32 and v_rcp_f32 as they are.
HIP_INLINE float __expf(float x) { return __builtin_amdgcn_exp2f(1.44269504f * x); }
HIP_INLINE float __logf(float x) { return 0.693147181f * __builtin_amdgcn_logf(x); }
HIP_INLINE float __fdividef(float a, float b) { return a * __builtin_amdgcn_rcpf(b); }

template <typename T> HIP_INLINE T min(T a, T b) { return b < a ? b : a; }
template <typename T> HIP_INLINE T max(T a, T b) { return a < b ? b : a; }

HIP_INLINE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
HIP_INLINE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
HIP_INLINE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
HIP_INLINE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }

HIP_INLINE long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
HIP_INLINE double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }

HIP_INLINE int __popc(unsigned x) { return __builtin_popcount(x); }
HIP_INLINE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
HIP_INLINE int __clz(int x) { return x == 0 ? 32 : __builtin_clz(x); }
HIP_INLINE int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll(x); }
HIP_INLINE int __ffs(int x) { return __builtin_ffs(x); }
HIP_INLINE int __ffsll(long long x) { return __builtin_ffsll(x); }
HIP_INLINE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }

template <typename T> HIP_INLINE T __ldg(const T* from) { return *from; }
