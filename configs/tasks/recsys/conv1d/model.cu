// Written by a language model, its knobs tuned by a search: candidate 14.0.0 of configs/recordings/languages/cuda.conv1d.kev.gz.
// Convolution along a sequence, 3 taps: rows = positions of the flattened batch, columns = filters (high | low), k = channels.
// x tile in shared memory: [part][channel / 8][position][8] float16, so tap j starts 16 j bytes further.
// @knob WGS int {2, 3, 4} = 3          independent warp groups a block
// @knob ALIGN int {1, 8} = 8        a sequence takes a multiple of it on the flattened axis
// @knob GROUP int {3, 4, 6} = 6     chunks of 8 channels a thread loads ahead, for the next tile
// @knob SPREAD bool = false         neighbour tiles on different multiprocessors
// @flags -std=c++17; --use_fast_math?
// @launch conv_f96  grid=(min(sm_count, ceil_div(batch*round_up(length+1, ALIGN), 64*WGS)), ceil_div(filters, 96)) block=(128*WGS)
// @+ shared=round_up(channels, 16)*(1152 + 264*WGS)
// @+ when=(filters <= 96 || filters % 96 == 0) && round_up(channels, 16)*(1152 + 264*WGS) <= smem_optin && batch*round_up(length+1, ALIGN) < 2000000000
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv_f128 grid=(min(sm_count, ceil_div(batch*round_up(length+1, ALIGN), 64*WGS)), ceil_div(filters, 128)) block=(128*WGS)
// @+ shared=round_up(channels, 16)*(1536 + 264*WGS)
// @+ when=filters > 96 && filters % 96 != 0 && round_up(channels, 16)*(1536 + 264*WGS) <= smem_optin && batch*round_up(length+1, ALIGN) < 2000000000
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv_tiles grid=(ceil_div(length, 64)*ceil_div(filters, 64)*batch) block=(256)
// @+ when=!((filters <= 96 || filters % 96 == 0) && round_up(channels, 16)*(1152 + 264*WGS) <= smem_optin && batch*round_up(length+1, ALIGN) < 2000000000) && !(filters > 96 && filters % 96 != 0 && round_up(channels, 16)*(1536 + 264*WGS) <= smem_optin && batch*round_up(length+1, ALIGN) < 2000000000)
// @+ args=(x, weight, y, batch, channels, filters, length)
#include <cuda_fp16.h>
typedef unsigned int u32;
typedef unsigned long long u64;
constexpr u32 ROWS = 66;
constexpr float LOW = 2048.0f;  // the low parts stand times 2^11: no subnormals, 22 bits whatever the scale

__device__ __forceinline__ void split_pair(float a, float b, u32& hi, u32& lo) {
  const __half2 h = __floats2half2_rn(a, b);
  const float2 back = __half22float2(h);
  const __half2 l = __floats2half2_rn((a - back.x) * LOW, (b - back.y) * LOW);
  hi = *reinterpret_cast<const u32*>(&h);
  lo = *reinterpret_cast<const u32*>(&l);
}
__device__ __forceinline__ void store_split(unsigned char* to, u32 low_offset, const float* v) {
  uint4 h, l;
  split_pair(v[0], v[1], h.x, l.x);
  split_pair(v[2], v[3], h.y, l.y);
  split_pair(v[4], v[5], h.z, l.z);
  split_pair(v[6], v[7], h.w, l.w);
  *reinterpret_cast<uint4*>(to) = h;
  *reinterpret_cast<uint4*>(to + low_offset) = l;
}
__device__ __forceinline__ u64 make_desc(const void* p, u32 k_stride) {  // K-major, no swizzle
  const u32 a = (u32)__cvta_generic_to_shared(p);
  return (u64)((a & 0x3FFFF) >> 4) | ((u64)(k_stride >> 4) << 16) | ((u64)8 << 32);
}

#define R4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define D48                                                          \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"           \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
template <int N> __device__ __forceinline__ void mma(float (&d)[N / 2], u64 a, u64 b) {
  if constexpr (N == 96) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %50, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n96k16.f32.f16.f16 {" D48 "}, %48, %49, p, 1, 1, 0, 0;\n}"
                 : R16(0), R16(16), R16(32) : "l"(a), "l"(b), "r"(1));
  } else {
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {" D48
                 ",%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}"
                 : R16(0), R16(16), R16(32), R16(48) : "l"(a), "l"(b), "r"(1));
  }
}

// what a thread loads of a tile ahead of its turn: GROUP chunks of its row, and its share of the two rows behind the 64
__device__ __forceinline__ void load_tile(float (&v)[GROUP][8], float (&tail)[8], const float* __restrict__ x, u32 tile,
                                          u32 P, u32 total, int C, int L, int q) {
  {
    const u32 p = tile * 64 + (q & 63) - 1, b = p / P, t = p - b * P;  // p wraps in front of the first row
    const bool ok = p < total && t < (u32)L;
    const float* from = x + (size_t)(ok ? b : 0) * C * L + (ok ? t : 0) + (size_t)((q >> 6) * 8) * L;
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
#pragma unroll
      for (int e = 0; e < 8; ++e) {
        v[g][e] = ok && ((q >> 6) + 2 * g) * 8 + e < C ? __ldg(from) : 0.0f;
        from += L;
      }
      from += (size_t)8 * L;
    }
  }
  const u32 p = tile * 64 + 64 + (q & 1) - 1, b = p / P, t = p - b * P;
  const bool ok = p < total && t < (u32)L;
  const int c0 = (q >> 1) * 8;
  const float* from = x + (size_t)(ok ? b : 0) * C * L + (ok ? t : 0);
#pragma unroll
  for (int e = 0; e < 8; ++e) tail[e] = ok && c0 + e < C ? __ldg(from + (size_t)(c0 + e) * L) : 0.0f;
}

template <int N>
__device__ __forceinline__ void run(unsigned char* sm, const float* __restrict__ x, const float* __restrict__ w,
                                    float* __restrict__ y, int B, int C, int F, int L) {
  const int nk = (C + 15) / 16, chunks = 2 * nk;
  const u32 P = (u32)((L + ALIGN) / ALIGN) * ALIGN, total = (u32)B * P, tiles = (total + 63) / 64;
  const u32 wplane = 2 * N * 16, wtap = chunks * wplane, xplane = ROWS * 16, xlow = chunks * xplane;
  const int f0 = blockIdx.y * N;

  for (int i = threadIdx.x; i < N * chunks; i += 128 * WGS) {  // weights: [tap][channel / 8][part, filter][8]
    const int f = i / chunks, ch = i - f * chunks;
    const float* from = w + ((size_t)(f0 + f) * C + ch * 8) * 3;
    const int left = f0 + f < F ? 3 * (C - ch * 8) : 0;
    float v[24];
#pragma unroll
    for (int e = 0; e < 24; ++e) v[e] = e < left ? from[e] : 0.0f;
#pragma unroll
    for (int j = 0; j < 3; ++j) {
      const float u[8] = {v[j], v[3 + j], v[6 + j], v[9 + j], v[12 + j], v[15 + j], v[18 + j], v[21 + j]};
      store_split(sm + j * wtap + ch * wplane + f * 16, N * 16, u);
    }
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  const int wg = threadIdx.x / 128, q = threadIdx.x % 128, lane = q % 32, warp = q / 32;
  unsigned char* mine = sm + 3 * wtap + wg * 2 * xlow;
  const u64 xdesc = make_desc(mine, xplane), wdesc = make_desc(sm, wplane);
  const int row = q & 63, parity = q >> 6, tail_row = 64 + (q & 1), tail_ch = q >> 1;
  const u32 first = SPREAD ? wg * gridDim.x + blockIdx.x : blockIdx.x * WGS + wg;

  float v[GROUP][8], tail[8];
  if (first < tiles) load_tile(v, tail, x, first, P, total, C, L, q);
  for (u32 tile = first; tile < tiles; tile += gridDim.x * WGS) {
#pragma unroll
    for (int g = 0; g < GROUP; ++g) {
      const int ch = parity + 2 * g;
      if (ch < chunks) store_split(mine + ch * xplane + row * 16, xlow, v[g]);
    }
    if (tail_ch < chunks) store_split(mine + tail_ch * xplane + tail_row * 16, xlow, tail);
    if (chunks > 2 * GROUP) {  // what was not loaded ahead
      const u32 p = tile * 64 + row - 1, b = p / P, t = p - b * P;
      const bool ok = p < total && t < (u32)L;
      const float* from = x + (size_t)(ok ? b : 0) * C * L + (ok ? t : 0);
      for (int ch = parity + 2 * GROUP; ch < chunks; ch += 2) {
        float u[8];
#pragma unroll
        for (int e = 0; e < 8; ++e) u[e] = ok && ch * 8 + e < C ? __ldg(from + (size_t)(ch * 8 + e) * L) : 0.0f;
        store_split(mine + ch * xplane + row * 16, xlow, u);
      }
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + wg) : "memory");

    float d[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) d[i] = 0.0f;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < nk; ++k) {  // the cross products, times 2^11
#pragma unroll
      for (int j = 0; j < 3; ++j) {
        const u64 a = xdesc + (u64)(k * 2 * ROWS + j), bd = wdesc + (u64)(j * (wtap / 16) + k * 4 * N);
        mma<N>(d, a, bd + N);
        mma<N>(d, a + xlow / 16, bd);
      }
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    const u32 next = tile + gridDim.x * WGS;
    if (next < tiles) load_tile(v, tail, x, next, P, total, C, L, q);  // under way while the products are made
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      asm volatile("" : "+f"(d[i])::"memory");
      d[i] *= 1.0f / LOW;
    }
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < nk; ++k) {  // high * high on top
#pragma unroll
      for (int j = 0; j < 3; ++j)
        mma<N>(d, xdesc + (u64)(k * 2 * ROWS + j), wdesc + (u64)(j * (wtap / 16) + k * 4 * N));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N / 2; ++i) asm volatile("" : "+f"(d[i])::"memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + wg) : "memory");

#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const u32 po = tile * 64 + warp * 16 + h * 8 + lane / 4, bo = po / P, to = po - bo * P;
      if (po < total && to < (u32)L) {
        const int f = f0 + lane % 4 * 2;
        float* out = y + ((size_t)bo * F + f) * L + to;
#pragma unroll
        for (int n = 0; n < N / 8; ++n, out += (size_t)8 * L) {
          const int i = n * 4 + h * 2;
          if (f + n * 8 < F) out[0] = d[i];
          if (f + n * 8 + 1 < F) out[L] = d[i + 1];
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(128 * WGS, 1)
conv_f96(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run<96>(sm, x, w, y, B, C, F, L);
}
extern "C" __global__ void __launch_bounds__(128 * WGS, 1)
conv_f128(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run<128>(sm, x, w, y, B, C, F, L);
}

// many channels: float32 tiles of 64 filters by 64 steps
extern "C" __global__ void __launch_bounds__(256)
conv_tiles(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, size_t B, size_t C, size_t F, size_t L) {
  __shared__ float xs[8][68], ws[24][65];
  const size_t nt = (L + 63) / 64, nf = (F + 63) / 64;
  const size_t t0 = blockIdx.x % nt * 64, f0 = blockIdx.x / nt % nf * 64, b = blockIdx.x / nt / nf;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[4][4] = {};
  for (size_t c0 = 0; c0 < C; c0 += 8) {
    for (int i = threadIdx.x; i < 8 * 66; i += 256) {
      const int c = i / 66, r = i % 66;
      const size_t t = t0 + r;
      xs[c][r] = c0 + c < C && t >= 1 && t <= L ? x[(b * C + c0 + c) * L + t - 1] : 0.0f;
    }
    for (int i = threadIdx.x; i < 64 * 24; i += 256) {
      const int f = i / 24, k = i % 24;
      ws[k][f] = f0 + f < F && c0 + k / 3 < C ? w[((f0 + f) * C + c0) * 3 + k] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 24; ++k) {
      float a[4], v[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) a[i] = ws[k][ty + 16 * i], v[i] = xs[k / 3][tx + 16 * i + k % 3];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int u = 0; u < 4; ++u) acc[i][u] = fmaf(a[i], v[u], acc[i][u]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const size_t f = f0 + ty + 16 * i, t = t0 + tx + 16 * u;
      if (f < F && t < L) y[(b * F + f) * L + t] = acc[i][u];
    }
}
