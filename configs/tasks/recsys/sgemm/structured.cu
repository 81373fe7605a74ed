// Matrix product: tiles of a and b in shared memory, a register tile a thread; the next tiles are fetched while
// these are multiplied.
// @task sgemm
// @knob BM int {32, 64, 128, 256} = 64            rows of a block's tile
// @knob BN int {32, 64, 128, 256} = 64            its columns
// @knob BK int {8, 16, 32} = 16                   its depth
// @knob TM int {4, 8, 16} = 4                     rows of a thread's tile
// @knob TN int {4, 8} = 4                         its columns
// @knob FETCH enum {late, early} = late           next tiles into registers behind or in front of the products
// @knob PANEL int {1, 4, 8, 16} = 1               rows of blocks that run side by side, for the L2 cache
// @require BM / TM * (BN / TN) >= 32 && BM / TM * (BN / TN) <= 1024
// @require BM * BK % (BM / TM * (BN / TN) * 4) == 0 && BN * BK % (BM / TM * (BN / TN) * 4) == 0
// @flags -std=c++17; -maxrregcount={,128}
// @launch sgemm grid=(ceil_div(m, BM)*ceil_div(n, BN)) block=(BM/TM*(BN/TN)) shared=8*BK*(BM + 4 + BN)
// @+            args=(a, b, c, int32(m), int32(n), int32(k))

constexpr int threads = BM / TM * (BN / TN);
constexpr int across = BN / TN;           // threads along a row of the tile
constexpr int pitch_a = BM + 4;           // a stands turned, padded against bank conflicts
constexpr int buffer = BK * (pitch_a + BN);
constexpr int fours_a = BM * BK / 4 / threads, fours_b = BN * BK / 4 / threads;

extern __shared__ float4 memory[];

/// Four neighbours of a row; what lies outside is zero.
__device__ float4 four(const float* from, int row, int column, int rows, int columns) {
  float4 made = make_float4(0, 0, 0, 0);
  if (row >= rows || column >= columns) return made;
  const float* at = from + size_t(row) * columns + column;
  if (columns % 4 == 0) return *reinterpret_cast<const float4*>(at);
  made.x = at[0];
  if (column + 1 < columns) made.y = at[1];
  if (column + 2 < columns) made.z = at[2];
  if (column + 3 < columns) made.w = at[3];
  return made;
}

struct Fetched {
  float4 a[fours_a], b[fours_b];

  __device__ void load(const float* from_a, const float* from_b, int i0, int j0, int p0, int m, int n, int k) {
#pragma unroll
    for (int u = 0; u < fours_a; ++u) {
      const int at = threadIdx.x + u * threads;
      a[u] = four(from_a, i0 + at / (BK / 4), p0 + at % (BK / 4) * 4, m, k);
    }
#pragma unroll
    for (int u = 0; u < fours_b; ++u) {
      const int at = threadIdx.x + u * threads;
      b[u] = four(from_b, p0 + at / (BN / 4), j0 + at % (BN / 4) * 4, k, n);
    }
  }

  __device__ void store(float* left, float* right) const {
#pragma unroll
    for (int u = 0; u < fours_a; ++u) {
      const int at = threadIdx.x + u * threads, i = at / (BK / 4), p = at % (BK / 4) * 4;
      left[p * pitch_a + i] = a[u].x;
      left[(p + 1) * pitch_a + i] = a[u].y;
      left[(p + 2) * pitch_a + i] = a[u].z;
      left[(p + 3) * pitch_a + i] = a[u].w;
    }
#pragma unroll
    for (int u = 0; u < fours_b; ++u) {
      const int at = threadIdx.x + u * threads;
      *reinterpret_cast<float4*>(right + at / (BN / 4) * BN + at % (BN / 4) * 4) = b[u];
    }
  }
};

/// Fours of a thread lie apart, those of neighbouring threads side by side.
template <int N, int THREADS_ALONG> __device__ void fragment(const float* from, int thread, float (&to)[N]) {
#pragma unroll
  for (int q = 0; q < N / 4; ++q) {
    const float4 one = *reinterpret_cast<const float4*>(from + (q * THREADS_ALONG + thread) * 4);
    to[4 * q] = one.x, to[4 * q + 1] = one.y, to[4 * q + 2] = one.z, to[4 * q + 3] = one.w;
  }
}

__device__ void multiply(const float* left, const float* right, float (&sums)[TM][TN]) {
  const int ti = threadIdx.x / across, tj = threadIdx.x % across;
#pragma unroll
  for (int p = 0; p < BK; ++p) {
    float a[TM], b[TN];
    fragment<TM, BM / TM>(left + p * pitch_a, ti, a);
    fragment<TN, across>(right + p * BN, tj, b);
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sums[i][j] = fmaf(a[i], b[j], sums[i][j]);
  }
}

/// The tile of this block: panels of PANEL rows of tiles, column after column.
__device__ void place(int m, int n, int& i0, int& j0) {
  const int down = (m + BM - 1) / BM, wide = (n + BN - 1) / BN;
  const int panel = blockIdx.x / (PANEL * wide), in_panel = blockIdx.x % (PANEL * wide);
  const int height = min(PANEL, down - panel * PANEL);
  i0 = (panel * PANEL + in_panel % height) * BM;
  j0 = in_panel / height * BN;
}

extern "C" __global__ void __launch_bounds__(threads)
sgemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  float* tiles = reinterpret_cast<float*>(memory);
  int i0, j0;
  place(m, n, i0, j0);
  float sums[TM][TN] = {};
  Fetched next;
  next.load(a, b, i0, j0, 0, m, n, k);
  next.store(tiles, tiles + BK * pitch_a);
  __syncthreads();
  for (int p0 = 0, now = 0; p0 < k; p0 += BK, now ^= 1) {
    float *left = tiles + now * buffer, *other = tiles + (now ^ 1) * buffer;
    const bool more = p0 + BK < k;
    if (FETCH == FETCH_early && more) next.load(a, b, i0, j0, p0 + BK, m, n, k);
    multiply(left, left + BK * pitch_a, sums);
    if (FETCH == FETCH_late && more) next.load(a, b, i0, j0, p0 + BK, m, n, k);
    if (more) next.store(other, other + BK * pitch_a);
    __syncthreads();
  }
  const int ti = threadIdx.x / across, tj = threadIdx.x % across;
#pragma unroll
  for (int i = 0; i < TM; ++i)
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const int row = i0 + (i / 4 * (BM / TM) + ti) * 4 + i % 4, column = j0 + (j / 4 * across + tj) * 4 + j % 4;
      if (row < m && column < n) c[size_t(row) * n + column] = sums[i][j];
    }
}
