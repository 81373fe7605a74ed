// Written by a language model, its knobs tuned by a search: candidate 31.0.0 of configs/recordings/languages/cuda.truncate_32.kev.gz.
// Batch event truncate: an exact kernel for whole blocks of rows of 64, a warp for ROWS adjacent rows; else a flat one.
// @task truncate_32
// @knob THREADS int {64, 128, 256} = 256          threads a block
// @knob ROWS int {1, 2, 4} = 4                    adjacent histories a warp, in flight together
// @knob PAIR bool = false                          a lane has two adjacent elements (else elements 32 apart)
// @knob UNROLL int {2, 4, 8} = 8                  elements a thread in the flat kernel
// @flags -std=c++17; --use_fast_math?
// @launch exact grid=(features*batch/(THREADS/32*ROWS)) block=(THREADS) when=kept==64&&features*batch%(THREADS/32*ROWS)==0
// @+ args=(values, start, length, y)
// @launch flat grid=(ceil_div(features*batch*kept, UNROLL*THREADS)) block=(THREADS) when=kept!=64||features*batch%(THREADS/32*ROWS)!=0
// @+ args=(values, start, length, y, features*batch, kept)

extern "C" __global__ void __launch_bounds__(THREADS)
exact(const unsigned* __restrict__ values, const int* __restrict__ start, const int* __restrict__ length,
      unsigned* __restrict__ y) {
  const unsigned lane = threadIdx.x % 32;
  const size_t h0 = ((size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32) * ROWS;
  unsigned s[ROWS], l[ROWS];
#if ROWS == 4
  const int4 lv = __ldg(reinterpret_cast<const int4*>(length + h0));
  const int4 sv = __ldg(reinterpret_cast<const int4*>(start + h0));
  l[0] = lv.x, l[1] = lv.y, l[2] = lv.z, l[3] = lv.w;
  s[0] = sv.x, s[1] = sv.y, s[2] = sv.z, s[3] = sv.w;
#elif ROWS == 2
  const int2 lv = __ldg(reinterpret_cast<const int2*>(length + h0));
  const int2 sv = __ldg(reinterpret_cast<const int2*>(start + h0));
  l[0] = lv.x, l[1] = lv.y;
  s[0] = sv.x, s[1] = sv.y;
#else
  l[0] = __ldg(length + h0);
  s[0] = __ldg(start + h0);
#endif
#if PAIR
  const unsigned j0 = 2 * lane, step = 1;
#else
  const unsigned j0 = lane, step = 32;
#endif
  unsigned a[ROWS], b[ROWS];
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const unsigned n = l[r] < 64u ? l[r] : 64u;
    const unsigned* p = values + (size_t)(s[r] + (l[r] - n)) + j0;
    a[r] = b[r] = 0;
    if (j0 < n) a[r] = __ldg(p);
    if (j0 + step < n) b[r] = __ldg(p + step);
  }
  unsigned* out = y + h0 * 64 + j0;
#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
#if PAIR
    *reinterpret_cast<uint2*>(out + r * 64) = make_uint2(a[r], b[r]);
#else
    out[r * 64] = a[r];
    out[r * 64 + 32] = b[r];
#endif
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
flat(const unsigned* __restrict__ values, const int* __restrict__ start, const int* __restrict__ length,
     unsigned* __restrict__ y, size_t histories, size_t kept) {
  const size_t total = histories * kept, base = (size_t)blockIdx.x * (UNROLL * THREADS) + threadIdx.x;
  const bool small = ((total + UNROLL * THREADS) >> 32) == 0;
  size_t column[UNROLL];
  unsigned s[UNROLL], l[UNROLL], got[UNROLL];
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const size_t at = base + (size_t)u * THREADS;
    const size_t h = small ? (size_t)((unsigned)at / (unsigned)kept) : at / kept;
    column[u] = at - h * kept;
    s[u] = l[u] = 0;
    if (at < total) {
      l[u] = (unsigned)__ldg(length + h);
      s[u] = (unsigned)__ldg(start + h);
    }
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const size_t has = l[u], n = has < kept ? has : kept;
    got[u] = 0;
    if (column[u] < n) got[u] = __ldg(values + (size_t)s[u] + (has - n) + column[u]);
  }
#pragma unroll
  for (int u = 0; u < UNROLL; ++u) {
    const size_t at = base + (size_t)u * THREADS;
    if (at < total) y[at] = got[u];
  }
}
