// Written by a language model, its knobs tuned by a search: candidate 12.0.0 of configs/recordings/languages/cuda.conv1d_f16.kev.gz.
// Convolution along a sequence in float16, 3 taps: positions x filters on wgmma, k = channels, taps are shifts of a row.
// Whole samples: bulk copies in, [channel / 8][position][8] by ldmatrix and stmatrix, products, bulk copies out.
// @knob WGS int {2, 3, 4} = 4       independent warp groups a block (flattened path)
// @knob AHEAD bool = true           loads of the next tile in front of the products (flattened path)
// @knob PLACE enum {near, far} = near   tiles of the groups of a block: neighbours or not (flattened path)
// @knob SAMPLES bool = true         the path of whole samples
// @knob KUNROLL int {1, 2} = 1      unrolling over steps of 16 channels (whole samples)
// @flags -std=c++17; --use_fast_math?
// @launch samples96 grid=(min(sm_count, ceil_div(batch, 4/ceil_div(min(length, 256), 64))), ceil_div(filters, 96)) block=(576)
// @+ shared=256 + round_up(channels, 16)*1216 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 1536)
// @+ when=SAMPLES && length%8 == 0 && length >= 48 && length <= 256 && batch < 100000000 && (filters <= 96 || filters%96 == 0) && channels <= 96
// @+ && 256 + round_up(channels, 16)*1216 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 1536) <= smem_optin
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch samples128 grid=(min(sm_count, ceil_div(batch, 4/ceil_div(min(length, 256), 64))), ceil_div(filters, 128)) block=(576)
// @+ shared=256 + round_up(channels, 16)*1408 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 2048)
// @+ when=SAMPLES && length%8 == 0 && length >= 48 && length <= 256 && batch < 100000000 && filters > 96 && filters%96 != 0 && channels <= 96
// @+ && 256 + round_up(channels, 16)*1408 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 2048) <= smem_optin
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv_n96  grid=(min(sm_count, ceil_div(batch*round_up(length+1, 8), 64*WGS)), ceil_div(filters, 96)) block=(128*WGS)
// @+ shared=round_up(channels, 16)*(576 + 132*WGS) + 13824*WGS
// @+ when=(filters <= 96 || filters % 96 == 0) && channels <= 96 && batch*round_up(length+1, 8) < 2000000000
// @+ && !(SAMPLES && length%8 == 0 && length >= 48 && length <= 256 && batch < 100000000
// @+ && 256 + round_up(channels, 16)*1216 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 1536) <= smem_optin)
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv_n128 grid=(min(sm_count, ceil_div(batch*round_up(length+1, 8), 64*WGS)), ceil_div(filters, 128)) block=(128*WGS)
// @+ shared=round_up(channels, 16)*(768 + 132*WGS) + 18432*WGS
// @+ when=filters > 96 && filters % 96 != 0 && channels <= 96 && batch*round_up(length+1, 8) < 2000000000
// @+ && !(SAMPLES && length%8 == 0 && length >= 48 && length <= 256 && batch < 100000000
// @+ && 256 + round_up(channels, 16)*1408 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 2048) <= smem_optin)
// @+ args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv_any grid=(ceil_div(length, 64)*ceil_div(filters, 64)*batch) block=(256)
// @+ when=channels > 96 || (batch*round_up(length+1, 8) >= 2000000000
// @+ && !(SAMPLES && length%8 == 0 && length >= 48 && length <= 256 && batch < 100000000))
// @+ || (batch*round_up(length+1, 8) >= 2000000000 && 256 + round_up(channels, 16)*1408 + (4/ceil_div(min(length, 256), 64))*(length/8 + 1 - (length/8)%2)*(32*channels + 2048) > smem_optin)
// @+ args=(x, weight, y, batch, channels, filters, length)
#include <cuda_fp16.h>
typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short u16;
constexpr u32 ROWS = 66;     // 64 positions and one on each side
constexpr u32 PITCH = 144;   // bytes of a filter's row in the output stage
constexpr int PER_WARP = 6;  // pieces of 8 channels x 32 positions a warp loads: 12 chunks x 2 / 4 warps

__device__ __forceinline__ u64 make_desc(const void* p, u32 k_stride) {  // K-major, no swizzle
  const u32 a = (u32)__cvta_generic_to_shared(p);
  return (u64)((a & 0x3FFFF) >> 4) | ((u64)(k_stride >> 4) << 16) | ((u64)8 << 32);
}
__device__ __forceinline__ u32 pack(float a, float b) {
  const __half2 h = __floats2half2_rn(a, b);
  return *reinterpret_cast<const u32*>(&h);
}
__device__ __forceinline__ void stmatrix_t(u32 to, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
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

// What a lane holds of a tile: 16 bytes (8 positions) of one channel in each piece of its warp, and a chunk of an outer row.
struct Share {
  uint4 v[PER_WARP];
  u32 tail[8];
  __device__ __forceinline__ void load(const u16* __restrict__ x, u32 tile, u32 total, u32 P, int C, int L, int q) {
    const int lane = q & 31, warp = q >> 5, seg = lane & 3;
    const u32 p = tile * 64 + (warp & 1) * 32 + seg * 8, b = p / P, t = p - b * P;  // a warp stays in its half of the tile
    const bool ok = p < total && t < (u32)L;
    int c = (warp >> 1) * 8 + (lane >> 2);
    const u16* from = x + (size_t)(ok ? b : 0) * C * L + (ok ? t : 0) + (size_t)c * L;
#pragma unroll
    for (int i = 0; i < PER_WARP; ++i, c += 16, from += (size_t)16 * L) {
      v[i] = make_uint4(0, 0, 0, 0);
      if (ok && c < C) {
        if (L % 8 == 0) {
          v[i] = __ldg(reinterpret_cast<const uint4*>(from));
        } else {
          u32 e[8];
#pragma unroll
          for (int k = 0; k < 8; ++k) e[k] = t + k < (u32)L ? from[k] : 0;
          v[i] = make_uint4(e[0] | e[1] << 16, e[2] | e[3] << 16, e[4] | e[5] << 16, e[6] | e[7] << 16);
        }
      }
    }
    const u32 po = tile * 64 + (q & 1) * 65 - 1, bo = po / P, to = po - bo * P;  // wraps in front of the first position
    const bool in = po < total && to < (u32)L;
    const u16* outer = x + (size_t)(in ? bo : 0) * C * L + (in ? to : 0);
#pragma unroll
    for (int e = 0; e < 8; ++e) tail[e] = in && (q >> 1) * 8 + e < C ? __ldg(outer + (size_t)((q >> 1) * 8 + e) * L) : 0;
  }
  // `to`: shared address of the row that this lane names in a transposing store of a piece of chunk 0
  __device__ __forceinline__ void store(unsigned char* xs, u32 to, u32 xplane, int chunks, int q) const {
    const int warp = q >> 5, seg = q & 3;
#pragma unroll
    for (int i = 0; i < PER_WARP; ++i) {
      const int ch = (warp >> 1) + 2 * i;
      if (ch < chunks) {  // matrix m gets word (m + seg) % 4, so that its eight rows lie in different banks
        const bool one = seg & 1, two = seg & 2;
        const u32 a0 = one ? v[i].y : v[i].x, a1 = one ? v[i].z : v[i].y, a2 = one ? v[i].w : v[i].z, a3 = one ? v[i].x : v[i].w;
        stmatrix_t(to + ch * xplane, two ? a2 : a0, two ? a3 : a1, two ? a0 : a2, two ? a1 : a3);
      }
    }
    if ((q >> 1) < chunks)
      *reinterpret_cast<uint4*>(xs + (q >> 1) * xplane + (q & 1) * 65 * 16) =
          make_uint4(tail[0] | tail[1] << 16, tail[2] | tail[3] << 16, tail[4] | tail[5] << 16, tail[6] | tail[7] << 16);
  }
};

template <int N>
__device__ __forceinline__ void run(unsigned char* sm, const u16* __restrict__ x, const u16* __restrict__ w,
                                    u16* __restrict__ y, int B, int C, int F, int L) {
  const int nk = (C + 15) / 16, chunks = 2 * nk;
  const u32 P = (u32)(L + 8) / 8 * 8, total = (u32)B * P, tiles = (total + 63) / 64;
  const u32 wplane = N * 16, wtap = chunks * wplane, xplane = ROWS * 16;
  const int f0 = blockIdx.y * N;
  const int wg = threadIdx.x / 128, q = threadIdx.x % 128, lane = q % 32, warp = q / 32;
  u32 tile = PLACE == PLACE_far ? wg * gridDim.x + blockIdx.x : blockIdx.x * WGS + wg;
  const u32 step = gridDim.x * WGS;

  Share share;
  if (tile < tiles) share.load(x, tile, total, P, C, L, q);
  for (int i = threadIdx.x; i < N * chunks; i += 128 * WGS) {  // weights: [tap][channel / 8][filter][8]
    const int f = i / chunks, ch = i - f * chunks;
    const u16* from = w + ((size_t)(f0 + f) * C + ch * 8) * 3;
    const int left = f0 + f < F ? 3 * (C - ch * 8) : 0;
    u32 v[24];
    if (C % 8 == 0 && left >= 24) {
#pragma unroll
      for (int e = 0; e < 3; ++e) {
        const uint4 four = reinterpret_cast<const uint4*>(from)[e];
        const u32 words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) v[e * 8 + k * 2] = words[k] & 0xffff, v[e * 8 + k * 2 + 1] = words[k] >> 16;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 24; ++e) v[e] = e < left ? from[e] : 0;
    }
#pragma unroll
    for (int j = 0; j < 3; ++j)
      *reinterpret_cast<uint4*>(sm + j * wtap + ch * wplane + f * 16) =
          make_uint4(v[j] | v[3 + j] << 16, v[6 + j] | v[9 + j] << 16, v[12 + j] | v[15 + j] << 16, v[18 + j] | v[21 + j] << 16);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();

  unsigned char* xs = sm + 3 * wtap + wg * (chunks * xplane + N * PITCH);
  unsigned char* ys = xs + chunks * xplane;
  const u64 xdesc = make_desc(xs, xplane), wdesc = make_desc(sm, wplane);
  // stores of x: lane names row n of matrix m, which is position seg * 8 + 2 * word + odd of the half tile
  const int n_row = lane & 7, n_seg = n_row >> 1, word = ((lane >> 3) + n_seg) & 3;
  const u32 xto = (u32)__cvta_generic_to_shared(xs) + (1 + (warp & 1) * 32 + n_seg * 8 + word * 2 + (n_row & 1)) * 16;
  const u32 yto = (u32)__cvta_generic_to_shared(ys) + ((lane >> 4) * 8 + (lane & 7)) * PITCH + (warp * 16 + (lane & 8)) * 2;

  for (; tile < tiles; tile += step) {
    share.store(xs, xto, xplane, chunks, q);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(1 + wg) : "memory");
    if (AHEAD && tile + step < tiles) share.load(x, tile + step, total, P, C, L, q);

    float d[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) d[i] = 0.0f;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int k = 0; k < nk; ++k) {
#pragma unroll
      for (int j = 0; j < 3; ++j)
        mma<N>(d, xdesc + (u64)(k * 2 * ROWS + j), wdesc + (u64)(j * (wtap / 16) + k * 2 * N));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N / 2; ++i) asm volatile("" : "+f"(d[i])::"memory");

#pragma unroll
    for (int n = 0; n < N / 8; n += 2)
      stmatrix_t(yto + n * 8 * PITCH, pack(d[n * 4], d[n * 4 + 1]), pack(d[n * 4 + 2], d[n * 4 + 3]),
                 pack(d[n * 4 + 4], d[n * 4 + 5]), pack(d[n * 4 + 6], d[n * 4 + 7]));
    asm volatile("bar.sync %0, 128;" ::"r"(1 + wg) : "memory");
    if (!AHEAD && tile + step < tiles) share.load(x, tile + step, total, P, C, L, q);
    const u32 po = tile * 64 + (q & 7) * 8, bo = po / P, to = po - bo * P;
    if (po < total && to < (u32)L) {
      u16* out = y + ((size_t)bo * F + f0 + (q >> 3)) * L + to;
      const unsigned char* from = ys + (q >> 3) * PITCH + (q & 7) * 16;
#pragma unroll
      for (int i = 0; i < N / 16; ++i, out += (size_t)16 * L, from += 16 * PITCH) {
        if (f0 + (q >> 3) + i * 16 < F) {
          const uint4 eight = *reinterpret_cast<const uint4*>(from);
          if (L % 8 == 0) {
            *reinterpret_cast<uint4*>(out) = eight;
          } else {
            const u32 words[4] = {eight.x, eight.y, eight.z, eight.w};
#pragma unroll
            for (int e = 0; e < 8; ++e)
              if (to + e < (u32)L) out[e] = (u16)(words[e / 2] >> (e % 2 * 16));
          }
        }
      }
    }
  }
}

extern "C" __global__ void __launch_bounds__(128 * WGS, 1)
conv_n96(const u16* __restrict__ x, const u16* __restrict__ w, u16* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run<96>(sm, x, w, y, B, C, F, L);
}
extern "C" __global__ void __launch_bounds__(128 * WGS, 1)
conv_n128(const u16* __restrict__ x, const u16* __restrict__ w, u16* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run<128>(sm, x, w, y, B, C, F, L);
}

// ---- whole samples: warp 16 loads, warp 17 writes, four warp groups take 64 positions of a sample each
constexpr u32 PLANE = 1280;  // bytes of 8 channels in a turned tile: 80 positions, the first is 8 in front of the tile
__device__ __forceinline__ void group_sync(int wg) { asm volatile("bar.sync %0, 128;" ::"r"(1 + wg) : "memory"); }
__device__ __forceinline__ void bar_wait(u32 bar, u32 parity) {
  u32 done;
  do {
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done) : "r"(bar), "r"(parity) : "memory");
  } while (!done);
}
__device__ __forceinline__ void bar_arrive(u32 bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(bar) : "memory");
}
__device__ __forceinline__ void bulk_load(u32 to, const void* from, u32 bytes, u32 bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               ::"r"(to), "l"(from), "r"(bytes), "r"(bar) : "memory");
}
__device__ __forceinline__ void bulk_store(void* to, u32 from, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from), "r"(bytes) : "memory");
}

template <int N>
__device__ __forceinline__ void run_samples(unsigned char* sm, const u16* __restrict__ x, const u16* __restrict__ w,
                                            u16* __restrict__ y, int B, int C, int F, int L) {
  const int nk = (C + 15) / 16, chunks = 2 * nk, units = L / 8, mt = (L + 63) / 64, S = 4 / mt;
  const int groups = (B + S - 1) / S, f0 = blockIdx.y * N, nf = F - f0 < N ? F - f0 : N;
  const u32 pitch = 16 * (units | 1), stage = S * C * pitch;  // an odd multiple of 16: no bank conflicts
  const u32 wplane = N * 16, wtap = chunks * wplane, turned_bytes = chunks * PLANE;
  // full[2] at 0, empty[2] at 16, out_full at 32, out_empty at 40, zeros at 64, waste at 128
  const u32 sm_at = (u32)__cvta_generic_to_shared(sm);
  unsigned char* ws = sm + 256;
  const u32 raw_at = sm_at + 256 + 3 * wtap + 4 * turned_bytes, out_at = raw_at + 2 * stage;
  const int wg = threadIdx.x / 128, q = threadIdx.x % 128, lane = q % 32, warp = q / 32;
  if (threadIdx.x == 0) {
#pragma unroll
    for (int i = 0; i < 6; ++i)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(sm_at + i * 8), "r"(i == 2 || i == 3 || i == 4 ? 4 : 1) : "memory");
    *reinterpret_cast<uint4*>(sm + 64) = make_uint4(0, 0, 0, 0);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();

  if (wg == 4) {
    int it = 0;
    if (warp == 0) {
      for (int g = blockIdx.x; g < groups; g += gridDim.x, ++it) {
        const int st = it & 1;
        const u32 full = sm_at + st * 8, to = raw_at + st * stage;
        bar_wait(sm_at + 16 + st * 8, ((it >> 1) & 1) ^ 1);
        const int n = (B - g * S < S ? B - g * S : S) * C;
        const u16* from = x + (size_t)g * S * C * L;
        if (lane == 0)
          asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full), "r"((u32)(n * L * 2)) : "memory");
        __syncwarp();
        if (units & 1) {
          if (lane == 0) bulk_load(to, from, (u32)(n * L * 2), full);
        } else {
          for (int r = lane; r < n; r += 32) bulk_load(to + r * pitch, from + (size_t)r * L, (u32)(L * 2), full);
        }
        __syncwarp();
      }
    } else if (warp == 1) {
      for (int g = blockIdx.x; g < groups; g += gridDim.x, ++it) {
        bar_wait(sm_at + 32, it & 1);
        const int n = B - g * S < S ? B - g * S : S;
        for (int s = 0; s < n; ++s) {
          u16* to = y + ((size_t)(g * S + s) * F + f0) * L;
          const u32 from = out_at + s * N * pitch;
          if (units & 1) {
            if (lane == 0) bulk_store(to, from, (u32)(nf * L * 2));
          } else {
            for (int r = lane; r < nf; r += 32) bulk_store(to + (size_t)r * L, from + r * pitch, (u32)(L * 2));
          }
        }
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
        __syncwarp();
        if (lane == 0) bar_arrive(sm_at + 40);
      }
      asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
    return;
  }

  for (int i = threadIdx.x; i < N * chunks; i += 512) {  // weights: [tap][channel / 8][filter][8]
    const int f = i / chunks, ch = i - f * chunks;
    const u16* from = w + ((size_t)(f0 + f) * C + ch * 8) * 3;
    const int left = f0 + f < F ? 3 * (C - ch * 8) : 0;
    u32 v[24];
    if (C % 8 == 0 && left >= 24) {
#pragma unroll
      for (int e = 0; e < 3; ++e) {
        const uint4 four = __ldg(reinterpret_cast<const uint4*>(from) + e);
        const u32 words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int k = 0; k < 4; ++k) v[e * 8 + k * 2] = words[k] & 0xffff, v[e * 8 + k * 2 + 1] = words[k] >> 16;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 24; ++e) v[e] = e < left ? from[e] : 0;
    }
#pragma unroll
    for (int j = 0; j < 3; ++j)
      *reinterpret_cast<uint4*>(ws + j * wtap + ch * wplane + f * 16) =
          make_uint4(v[j] | v[3 + j] << 16, v[6 + j] | v[9 + j] << 16, v[12 + j] | v[15 + j] << 16, v[18 + j] | v[21 + j] << 16);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("bar.sync 6, 512;" ::: "memory");

  unsigned char* turned = ws + 3 * wtap + wg * turned_bytes;
  const u32 turned_at = (u32)__cvta_generic_to_shared(turned);
  const u64 wdesc = make_desc(ws, wplane), xdesc = make_desc(turned + 7 * 16, PLANE);  // position -1 is row 7
  const int si = wg / mt, tile = wg - si * mt, m = lane >> 3;  // matrix m is chunk + (m & 1), unit + (m >> 1)
  const int c_lane = (m & 1) * 8 + (lane & 7), u_lane = tile * 8 - 1 + (m >> 1);
  const u32 to0 = turned_at + (m & 1) * PLANE + ((m >> 1) * 8 + (lane & 7)) * 16;
  // the row of 8 positions that this lane names in a store of sums
  const int y_unit = tile * 8 + warp * 2 + ((lane >> 3) & 1);
  const bool y_in = y_unit < units, y_any = tile * 8 + warp * 2 < units;
  const u32 yto = y_in ? out_at + (si * N + (lane >> 4) * 8 + (lane & 7)) * pitch + y_unit * 16 : sm_at + 128;
  const u32 ystep = y_in ? 8 * pitch : 0;

  int it = 0;
  for (int g = blockIdx.x; g < groups; g += gridDim.x, ++it) {
    const int st = it & 1;
    bar_wait(sm_at + st * 8, (it >> 1) & 1);
    if (si >= S || g * S + si >= B) {
      if (q == 0) {
        bar_arrive(sm_at + 16 + st * 8);
        bar_wait(sm_at + 40, (it & 1) ^ 1);
        bar_arrive(sm_at + 32);
      }
      continue;
    }
    const u32 from0 = raw_at + st * stage + si * C * pitch;
    for (int i = warp; i < nk * 5; i += 4) {
      const int k = i / 5, u = i - k * 5, c = k * 16 + c_lane, un = u_lane + u * 2;
      const u32 from = c < C && un >= 0 && un < units ? from0 + c * pitch + un * 16 : sm_at + 64;
      u32 r0, r1, r2, r3;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3) : "r"(from) : "memory");
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(to0 + k * 2 * PLANE + u * 256),
                   "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    group_sync(wg);
    if (q == 0) bar_arrive(sm_at + 16 + st * 8);

    float d[N / 2];
#pragma unroll
    for (int i = 0; i < N / 2; ++i) d[i] = 0.0f;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll KUNROLL
    for (int k = 0; k < nk; ++k) {
#pragma unroll
      for (int j = 0; j < 3; ++j)
        mma<N>(d, xdesc + (u64)(k * 2 * (PLANE / 16) + j), wdesc + (u64)(j * (wtap / 16) + k * 2 * N));
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N / 2; ++i) asm volatile("" : "+f"(d[i])::"memory");

    bar_wait(sm_at + 40, (it & 1) ^ 1);  // the samples in front of these have left the output stage
    if (y_any) {
#pragma unroll
      for (int n = 0; n < N / 8; n += 2)
        stmatrix_t(yto + n * ystep, pack(d[n * 4], d[n * 4 + 1]), pack(d[n * 4 + 2], d[n * 4 + 3]),
                   pack(d[n * 4 + 4], d[n * 4 + 5]), pack(d[n * 4 + 6], d[n * 4 + 7]));
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    group_sync(wg);  // also: all warps are done with the turned tile
    if (q == 0) bar_arrive(sm_at + 32);
  }
}

extern "C" __global__ void __launch_bounds__(576, 1)
samples96(const u16* __restrict__ x, const u16* __restrict__ w, u16* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run_samples<96>(sm, x, w, y, B, C, F, L);
}
extern "C" __global__ void __launch_bounds__(576, 1)
samples128(const u16* __restrict__ x, const u16* __restrict__ w, u16* __restrict__ y, int B, int C, int F, int L) {
  extern __shared__ __align__(128) unsigned char sm[];
  run_samples<128>(sm, x, w, y, B, C, F, L);
}

// many channels: float32 tiles of 64 filters by 64 steps
extern "C" __global__ void __launch_bounds__(256)
conv_any(const __half* __restrict__ x, const __half* __restrict__ w, __half* __restrict__ y, size_t B, size_t C, size_t F, size_t L) {
  __shared__ float xs[8][68], ws[24][65];
  const size_t nt = (L + 63) / 64, nf = (F + 63) / 64;
  const size_t t0 = blockIdx.x % nt * 64, f0 = blockIdx.x / nt % nf * 64, b = blockIdx.x / nt / nf;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  float acc[4][4] = {};
  for (size_t c0 = 0; c0 < C; c0 += 8) {
    for (int i = threadIdx.x; i < 8 * 66; i += 256) {
      const int c = i / 66, r = i % 66;
      const size_t t = t0 + r;
      xs[c][r] = c0 + c < C && t >= 1 && t <= L ? __half2float(x[(b * C + c0 + c) * L + t - 1]) : 0.0f;
    }
    for (int i = threadIdx.x; i < 64 * 24; i += 256) {
      const int f = i / 24, k = i % 24;
      ws[k][f] = f0 + f < F && c0 + k / 3 < C ? __half2float(w[((f0 + f) * C + c0) * 3 + k]) : 0.0f;
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
      if (f < F && t < L) y[(b * F + f) * L + t] = __float2half_rn(acc[i][u]);
    }
}
