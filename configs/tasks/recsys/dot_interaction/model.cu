// Written by a language model, its knobs tuned by a search: candidate 67.0.0 of configs/recordings/languages/cuda.dot_interaction.kev.gz.
// Pairwise dot products: a warp a sample, 3xTF32 mma straight from global memory, prefetch across samples.
// @knob WARPS int {2, 4, 8} = 2           warps a block
// @knob RESIDENT int {8, 16, 24} = 16     warps a multiprocessor that the registers must allow
// @knob PERSIST int {0, 1} = 0            1: as many blocks as fit, each warp walks over samples
// @knob STREAM int {0, 1} = 0             1: streaming stores
// @require RESIDENT % WARPS == 0
// @flags -std=c++17
// @launch dots_vec grid=(PERSIST * min(ceil_div(batch, WARPS), sm_count * occupancy(dots_vec)) + (1 - PERSIST) * ceil_div(batch, WARPS))
// @+ block=(WARPS * 32) when=features <= 32 && dim <= 512 && dim % 4 == 0 args=(x, y, batch, int32(features), int32(dim))
// @launch dots_any grid=(min(ceil_div(batch, WARPS), sm_count * occupancy(dots_any))) block=(WARPS * 32)
// @+ when=features <= 32 && dim <= 512 && dim % 4 != 0 args=(x, y, batch, int32(features), int32(dim))
// @launch dots_big grid=(min(batch * (ceil_div(features, 32) * (ceil_div(features, 32) + 1) / 2), 1048576)) block=(256)
// @+ when=features > 32 || dim > 512 args=(x, y, batch, features, dim)

__device__ __forceinline__ void load4(float (&v)[4], const float* p, bool ok) {
  asm volatile(
      "{\n .reg .pred q;\n setp.ne.s32 q, %5, 0;\n"
      " mov.f32 %0, 0f00000000;\n mov.f32 %1, 0f00000000;\n mov.f32 %2, 0f00000000;\n mov.f32 %3, 0f00000000;\n"
      " @q ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%0,%1,%2,%3}, [%4];\n}\n"
      : "=&f"(v[0]), "=&f"(v[1]), "=&f"(v[2]), "=&f"(v[3])
      : "l"(p), "r"((int)ok));
}

// x = p0 + p1 in TF32 parts; p0 is rounded, and the cores ignore the last bits of p1 (2^-22 of x).
__device__ __forceinline__ void split(float x, unsigned& p0, unsigned& p1) {
  p0 = (__float_as_uint(x) + 0x1000u) & 0xffffe000u;
  p1 = __float_as_uint(x - __uint_as_float(p0));
}

// Rows of tile M (16 of them) by rows of tile N (8 of them); w[half of k].
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&top)[2], const unsigned (&bottom)[2],
                                    const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(top[0]), "r"(bottom[0]), "r"(top[1]), "r"(bottom[1]), "r"(b[0]), "r"(b[1]));
}

template <bool VEC>
__device__ __forceinline__ void load_piece(float (&buf)[4][2][4], int s, const float* x, size_t sample, bool live,
                                           int k0, int g, int t, int features, int dim) {
  const float* base = x + (sample * features + g) * (size_t)dim + k0 + 4 * t;
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const bool row_ok = live && g + 8 * r < features;
    const float* p = base + r * 8 * dim;
    {
      const int k = k0 + 4 * t + 16 * s;
      if (VEC) {
        load4(buf[r][s], p + 16 * s, row_ok && k < dim);
      } else {
#pragma unroll
        for (int u = 0; u < 4; ++u) buf[r][s][u] = row_ok && k + u < dim ? __ldg(p + 16 * s + u) : 0.0f;
      }
    }
  }
}

template <bool VEC>
__device__ __forceinline__ void dots(const float* __restrict__ x, float* __restrict__ y, size_t batch, int features,
                                     int dim) {
  __shared__ float stage[WARPS][512];
  const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4, warp = threadIdx.x / 32;
  float* mine = stage[warp];
  const int pairs = features * (features - 1) / 2;
  const size_t step = (size_t)gridDim.x * WARPS;
  size_t sample = (size_t)blockIdx.x * WARPS + warp;
  if (sample >= batch) return;

  float buf[4][2][4];
  load_piece<VEC>(buf, 0, x, sample, true, 0, g, t, features, dim);
  load_piece<VEC>(buf, 1, x, sample, true, 0, g, t, features, dim);
  while (sample < batch) {
    // tiles 0, 1: rows 0..15 by 0..15; tiles 2..5: rows 16..31 by 0..31
    float c[6][4];
#pragma unroll
    for (int i = 0; i < 6; ++i)
#pragma unroll
      for (int v = 0; v < 4; ++v) c[i][v] = 0.0f;

#pragma unroll 1
    for (int k0 = 0; k0 < dim; k0 += 32) {
      const bool more = k0 + 32 < dim;
      const size_t which = more ? sample : sample + step;
#pragma unroll
      for (int s = 0; s < 2; ++s) {
        // [8 columns][group of 8 rows][half of k]: any order of the columns will do that is the same for all rows
        unsigned hi[2][4][2], lo[2][4][2];
#pragma unroll
        for (int e = 0; e < 2; ++e)
#pragma unroll
          for (int r = 0; r < 4; ++r)
#pragma unroll
            for (int h = 0; h < 2; ++h) split(buf[r][s][2 * e + h], hi[e][r][h], lo[e][r][h]);
        load_piece<VEC>(buf, s, x, which, which < batch, more ? k0 + 32 : 0, g, t, features, dim);
#pragma unroll
        for (int e = 0; e < 2; ++e) {
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            if (n < 2) mma(c[n], lo[e][0], lo[e][1], hi[e][n]);
            mma(c[2 + n], lo[e][2], lo[e][3], hi[e][n]);
          }
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            if (n < 2) mma(c[n], hi[e][0], hi[e][1], lo[e][n]);
            mma(c[2 + n], hi[e][2], hi[e][3], lo[e][n]);
          }
#pragma unroll
          for (int n = 0; n < 4; ++n) {
            if (n < 2) mma(c[n], hi[e][0], hi[e][1], hi[e][n]);
            mma(c[2 + n], hi[e][2], hi[e][3], hi[e][n]);
          }
        }
      }
    }

#pragma unroll
    for (int i = 0; i < 6; ++i) {
      const int m = i < 2 ? 0 : 16, n = i < 2 ? 8 * i : 8 * (i - 2);
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        const int row = m + g + v / 2 * 8, column = n + 2 * t + v % 2;
        if (column < row && row < features) mine[row * (row - 1) / 2 + column] = c[i][v];
      }
    }
    __syncwarp();
    float* out = y + sample * (size_t)pairs;
#pragma unroll 4
    for (int i = lane; i < pairs; i += 32) {
      if (STREAM) __stcs(out + i, mine[i]);
      else out[i] = mine[i];
    }
    __syncwarp();
    sample += step;
  }
}

extern "C" __global__ void __launch_bounds__(WARPS * 32, RESIDENT / WARPS)
dots_vec(const float* __restrict__ x, float* __restrict__ y, size_t batch, int features, int dim) {
  dots<true>(x, y, batch, features, dim);
}

extern "C" __global__ void __launch_bounds__(WARPS * 32)
dots_any(const float* __restrict__ x, float* __restrict__ y, size_t batch, int features, int dim) {
  dots<false>(x, y, batch, features, dim);
}

// Any number of features, any length: a block makes 32 x 32 of a sample's products in float32.
extern "C" __global__ void __launch_bounds__(256)
dots_big(const float* __restrict__ x, float* __restrict__ y, size_t batch, size_t features, size_t dim) {
  __shared__ float a[32][33], b[32][33];
  const size_t tiles = (features + 31) / 32, per = tiles * (tiles + 1) / 2, total = batch * per;
  const size_t pairs = features * (features - 1) / 2;
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, lx = threadIdx.x % 32, ly = threadIdx.x / 32;
  for (size_t work = blockIdx.x; work < total; work += gridDim.x) {
    const size_t sample = work / per, p = work % per;
    size_t ti = 0;
    while ((ti + 1) * (ti + 2) / 2 <= p) ++ti;
    const size_t tj = p - ti * (ti + 1) / 2;
    const size_t i0 = ti * 32, j0 = tj * 32;
    const float* rows = x + sample * features * dim;
    float sum[2][2] = {};
    for (size_t k0 = 0; k0 < dim; k0 += 32) {
      const size_t k = k0 + lx;
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const int r = ly + 8 * u;
        a[r][lx] = i0 + r < features && k < dim ? rows[(i0 + r) * dim + k] : 0.0f;
        b[r][lx] = j0 + r < features && k < dim ? rows[(j0 + r) * dim + k] : 0.0f;
      }
      __syncthreads();
      float part[2][2] = {};
#pragma unroll 8
      for (int q = 0; q < 32; ++q) {
        const float a0 = a[ty][q], a1 = a[ty + 16][q], b0 = b[tx][q], b1 = b[tx + 16][q];
        part[0][0] = fmaf(a0, b0, part[0][0]);
        part[0][1] = fmaf(a0, b1, part[0][1]);
        part[1][0] = fmaf(a1, b0, part[1][0]);
        part[1][1] = fmaf(a1, b1, part[1][1]);
      }
      __syncthreads();
#pragma unroll
      for (int u = 0; u < 2; ++u)
#pragma unroll
        for (int v = 0; v < 2; ++v) sum[u][v] += part[u][v];
    }
#pragma unroll
    for (int u = 0; u < 2; ++u)
#pragma unroll
      for (int v = 0; v < 2; ++v) {
        const size_t i = i0 + ty + 16 * u, j = j0 + tx + 16 * v;
        if (i < features && j < i) y[sample * pairs + i * (i - 1) / 2 + j] = sum[u][v];
      }
  }
}
