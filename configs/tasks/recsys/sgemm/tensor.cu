// Matrix product on tensor cores: steps of tiles of a and b are on their way into shared memory, a warp keeps a tile of
// sums in registers and reads ahead. The sums of 16 products are added to those of all: the cores would round the long
// ones.
// @task sgemm
// @knob BM int {64, 128, 256} = 128               rows of a block's tile
// @knob BN int {64, 128, 256} = 128               its columns
// @knob BK int {16, 32} = 16                      depth of a step
// @knob DOWN int {1, 2, 4} = 2                    warps along the rows
// @knob ALONG int {1, 2, 4} = 4                   and along the columns
// @knob STAGES int {2, 3, 4, 5} = 4               steps in shared memory
// @knob PANEL int {1, 4, 8, 16} = 8               rows of blocks that run side by side, for the L2 cache
// @knob BLOCKS int {1, 2, 3} = 1                  on a multiprocessor at least: bounds the registers
// @require DOWN * ALONG >= 4 && BM / DOWN >= 16 && BN / ALONG >= 32 && BM / DOWN * (BN / ALONG) <= 4096
// @require (BM + BN) * BK * 4 * STAGES <= 232448 && DOWN * ALONG * BLOCKS <= 32
// @flags -std=c++17
// @launch product grid=(ceil_div(m, BM)*ceil_div(n, BN)) block=(32*DOWN*ALONG) shared=4*(BM + BN)*BK*STAGES
// @+              args=(a, b, c, int32(m), int32(n), int32(k))

#include "gpu_access.cuh"
#include "gpu_tensor.cuh"
#include "gpu_tiles.cuh"

constexpr int threads = 32 * DOWN * ALONG;
constexpr int tall = BM / DOWN / 16, wide = BN / ALONG / 32;  // tiles of 16 rows, and of 32 columns, of a warp
constexpr int stage_size = (BM + BN) * BK;

extern __shared__ uint4 memory[];

/// ROWS x COLUMNS floats from (row, column) of `from` on, zeros outside; to(row, column) says where four of them belong.
template <int ROWS, int COLUMNS, typename To>
__device__ void fetch(const float* from, int row, int rows, int column, int columns, To to) {
  constexpr int across = COLUMNS / 4, apart = threads / across;  // rows of a thread
  const int first = threadIdx.x / across, j = threadIdx.x % across * 4;
  const float* source = from + size_t(row + first) * columns + column + j;
  const size_t further = size_t(apart) * columns;
#pragma unroll
  for (int i = first; i < first + ROWS; i += apart, source += further) {
    if (ROWS % apart != 0 && i >= ROWS) break;
    if (columns % 4 == 0) {
      copy_ahead_if(row + i < rows && column + j < columns, to(i, j), source);
    } else {
#pragma unroll
      for (int u = 0; u < 4; ++u) to(i, j)[u] = row + i < rows && column + j + u < columns ? source[u] : 0;
    }
  }
}

/// Of a: slabs of 8 columns, row after row. Sixteen lanes read four rows of a slab, pairs each: no conflicts.
__device__ int place_a(int row, int p) { return p / 8 * (8 * BM) + row * 8 + p % 8; }

/// Of b: row after row, fours of columns in an order such that lanes which read rows two apart do not meet in a bank.
__device__ int place_b(int p, int column) { return p * BN + (column / 4 ^ p / 2 % 4) * 4; }

/// A lane's values of 8 columns of a and rows of b. Lanes with the same q = lane % 4 take the pair from 2 q on, whichever
/// the order: it is the same for both factors.
struct Piece {
  Vector<2> rows[tall][2];
  Vector<4> columns[2][wide];

  __device__ void load(const float* stage, int p) {
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
    for (int i = 0; i < tall; ++i)
#pragma unroll
      for (int r = 0; r < 2; ++r)
        rows[i][r] = *reinterpret_cast<const Vector<2>*>(
            stage + place_a((warp % DOWN * tall + i) * 16 + 8 * r + g, p + 2 * q));
#pragma unroll
    for (int u = 0; u < 2; ++u)
#pragma unroll
      for (int j = 0; j < wide; ++j)
        columns[u][j] = *reinterpret_cast<const Vector<4>*>(
            stage + BM * BK + place_b(p + 2 * q + u, (warp / DOWN * wide + j) * 32 + own_columns()));
  }
  __device__ void split(Split<4> (&left)[tall], Split<2> (&right)[4 * wide]) const {
#pragma unroll
    for (int u = 0; u < 2; ++u) {
#pragma unroll
      for (int i = 0; i < tall; ++i)
#pragma unroll
        for (int r = 0; r < 2; ++r) left[i].set(2 * u + r, rows[i][r].v[u]);
#pragma unroll
      for (int j = 0; j < 4 * wide; ++j) right[j].set(u, columns[u][j / 4].v[j % 4]);
    }
  }
};

template <bool ALIGNED>
__device__ void put(const Sums (&sums)[tall][4 * wide], float* c, int i0, int j0, int m, int n) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
#pragma unroll
  for (int i = 0; i < tall; ++i)
#pragma unroll
    for (int j = 0; j < wide; ++j)
#pragma unroll
      for (int v = 0; v < 4; ++v) {
        const int row = i0 + (warp % DOWN * tall + i) * 16 + 8 * (v / 2) + g;
        const int column = j0 + (warp / DOWN * wide + j) * 32 + 16 * (v % 2) + 4 * q;
        const Vector<4> values{{sums[i][4 * j].v[v], sums[i][4 * j + 1].v[v], sums[i][4 * j + 2].v[v],
                                sums[i][4 * j + 3].v[v]}};
        if (row < m) put_four<ALIGNED>(c + size_t(row) * n, column, n, values);
      }
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  float* stages = reinterpret_cast<float*>(memory);
  int i0, j0;
  place_tile<BM, BN, PANEL>(blockIdx.x, m, n, i0, j0);
  const int steps = (k + BK - 1) / BK;
  const auto bring = [&](int step) {
    float* to = stages + step % STAGES * stage_size;
    if (step < steps) {
      fetch<BM, BK>(a, i0, m, step * BK, k, [&](int i, int j) { return to + place_a(i, j); });
      fetch<BK, BN>(b, step * BK, k, j0, n, [&](int i, int j) { return to + BM * BK + place_b(i, j); });
    }
    end_group();
  };
  Piece piece;
  const auto next_step = [&](int step) {
    wait_groups<STAGES - 2>();
    __syncthreads();  // this step is there, and the one before is read
    piece.load(stages + step % STAGES * stage_size, 0);
  };
  for (int step = 0; step < STAGES - 1; ++step) bring(step);
  next_step(0);
  Sums sums[tall][4 * wide] = {}, made[tall][4 * wide];
  for (int step = 0; step < steps; ++step) {
    bring(step + STAGES - 1);
#pragma unroll
    for (int p = 0; p < BK; p += 8) {
      Split<4> left[tall];
      Split<2> right[4 * wide];
      piece.split(left, right);
      if (p + 8 < BK) piece.load(stages + step % STAGES * stage_size, p + 8);
      else next_step(step + 1);  // on its way while the cores multiply; behind the last one, of no use
      if (p % 16 == 0) clear(made);
      Float32::multiply(made, left, right);
      if (p % 16 == 8) add(sums, made);
    }
  }
  if (n % 4 == 0) put<true>(sums, c, i0, j0, m, n);
  else put<false>(sums, c, i0, j0, m, n);
}
