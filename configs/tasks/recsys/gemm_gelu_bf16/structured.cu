// A linear layer with GELU in bfloat16: a thread asks the copy engine for tiles of x and weight some steps ahead, and
// warpgroups multiply them with 64 rows of sums each in registers, where bias, GELU and the rounding follow. Rows that
// the copy engine cannot reach, whose length is no multiple of sixteen bytes, are copied to some that it can.
// @task gemm_gelu_bf16
// @knob BM int {64, 128} = 128                    rows of a block's tile, 64 for each warpgroup
// @knob BN int {64, 128, 256} = 128               its columns
// @knob STAGES int {2, 3, 4, 5, 6} = 4            steps of 64 in shared memory
// @knob STORE enum {direct, turned} = direct      results by pairs, or by eight, swapped among four lanes
// @knob GELU enum {exact, short} = exact          erfc of the library, or of five terms
// @knob PANEL int {1, 4, 8, 16} = 4               rows of blocks that run side by side, for the L2 cache
// @knob GRID enum {full, resident} = full         a block for each tile, or as many as run at a time
// @knob BLOCKS int {1, 2} = 1                     on a multiprocessor at least: bounds the registers
// @require BLOCKS * ((BM + BN) * 128 * STAGES + 3072) <= 232448 && (BLOCKS == 1 || BM * BN <= 16384)
// @flags -std=c++17; --use_fast_math?
// @scratch padded_x bfloat16 [1 + (k % 8 != 0)*(m*round_up(k, 8) - 1)]
// @scratch padded_weight bfloat16 [1 + (k % 8 != 0)*(n*round_up(k, 8) - 1)]
// @tensor_map x_tiles of x dims=(k, 1 + (k % 8 == 0)*(m - 1)) strides=(round_up(2*k, 16)) box=(64, BM)
// @+          swizzle=128B promotion=256B
// @tensor_map weight_tiles of weight dims=(k, 1 + (k % 8 == 0)*(n - 1)) strides=(round_up(2*k, 16)) box=(64, BN)
// @+          swizzle=128B promotion=256B
// @tensor_map padded_x_tiles of padded_x dims=(1 + (k % 8 != 0)*(k - 1), 1 + (k % 8 != 0)*(m - 1))
// @+          strides=(round_up(2*k, 16)) box=(64, BM) swizzle=128B promotion=256B
// @tensor_map padded_weight_tiles of padded_weight dims=(1 + (k % 8 != 0)*(k - 1), 1 + (k % 8 != 0)*(n - 1))
// @+          strides=(round_up(2*k, 16)) box=(64, BN) swizzle=128B promotion=256B
// @launch pad grid=(m) block=(256) args=(x, padded_x, int32(k)) when=k % 8 != 0
// @launch pad grid=(n) block=(256) args=(weight, padded_weight, int32(k)) when=k % 8 != 0
// @launch linear
// @+             grid=(min(ceil_div(m, BM)*ceil_div(n, BN), sm_count*BLOCKS + (1 - GRID)*ceil_div(m, BM)*ceil_div(n, BN)))
// @+             block=(2*BM) shared=(BM + BN)*128*STAGES + 1024
// @+             args=(x_tiles, weight_tiles, bias, y, int32(m), int32(n), int32(k)) when=k % 8 == 0
// @launch linear
// @+             grid=(min(ceil_div(m, BM)*ceil_div(n, BN), sm_count*BLOCKS + (1 - GRID)*ceil_div(m, BM)*ceil_div(n, BN)))
// @+             block=(2*BM) shared=(BM + BN)*128*STAGES + 1024
// @+             args=(padded_x_tiles, padded_weight_tiles, bias, y, int32(m), int32(n), int32(k)) when=k % 8 != 0

#include "gpu_linear.cuh"
#include "gpu_tiles.cuh"
#include "gpu_warpgroup.cuh"

constexpr int BK = 64;
constexpr int groups = BM / 64;  // warpgroups that multiply
constexpr int threads = 128 * groups;
constexpr int stage_size = (BM + BN) * BK;

extern __shared__ uint4 memory[];

extern "C" __global__ void __launch_bounds__(256) pad(const half_bits* from, half_bits* to, int k) {
  const int pitch = (k + 7) / 8 * 8;
  for (int p = threadIdx.x; p < k; p += 256) to[blockIdx.x * size_t(pitch) + p] = from[blockIdx.x * size_t(k) + p];
}

/// Full: the bytes of a stage have come. Empty: all warps have read them.
struct Pipeline {
  Barrier full[STAGES], empty[STAGES];

  __device__ void begin() {
    for (int stage = 0; stage < STAGES; ++stage) {
      full[stage].begin(1);
      empty[stage].begin(4 * groups);
    }
    barriers_ready();
  }
};

__device__ int tile_count(int m, int n) { return (m + BM - 1) / BM * ((n + BN - 1) / BN); }

/// Asks for the steps of all tiles of the block, one after the other. Of one thread.
struct Feed {
  const TensorMap &x, &weight;
  Pipeline& pipeline;
  half_bits* stages;
  int m, n, k;
  int tile, p = 0, turn = 0, i0 = 0, j0 = 0;

  __device__ void next() {
    if (tile >= tile_count(m, n)) return;
    if (p == 0) place_tile<BM, BN, PANEL>(tile, m, n, i0, j0);
    const int stage = turn % STAGES;
    if (turn >= STAGES) pipeline.empty[stage].wait((turn / STAGES - 1) % 2);
    half_bits* to = stages + stage * stage_size;
    pipeline.full[stage].arrive_and_expect(2 * stage_size);
    copy_tile(to, x, p, i0, pipeline.full[stage]);
    copy_tile(to + BM * BK, weight, p, j0, pipeline.full[stage]);
    ++turn;
    p += BK;
    if (p < k) return;
    p = 0;
    tile += gridDim.x;
  }
};

/// The sums of a tile; `turn` counts the steps of all tiles.
__device__ void multiply_tile(Pipeline& pipeline, const half_bits* stages, int k, int& turn, Feed& feed,
                              WideSums<BN>& sums) {
  const int group = threadIdx.x / 128;
  const auto release = [&](int of) {
    if (threadIdx.x % 32 == 0) pipeline.empty[of % STAGES].arrive();
  };
  for (int p = 0; p < k; p += BK, ++turn) {
    const int stage = turn % STAGES;
    const half_bits* x = stages + stage * stage_size + group * 64 * BK;
    const half_bits* weight = stages + stage * stage_size + BM * BK;
    pipeline.full[stage].wait(turn / STAGES % 2);
    begin_products();
#pragma unroll
    for (int i = 0; i < BK / 16; ++i) multiply(sums, Tile(x, i), Tile(weight, i), p + i > 0);
    end_products();
    wait_products<1>();
    if (p > 0) release(turn - 1);
    if (threadIdx.x == 0) feed.next();
  }
  wait_products<0>();
  release(turn - 1);
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
linear(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap weight, const half_bits* __restrict__ bias,
       half_bits* __restrict__ y, int m, int n, int k) {
  __shared__ Pipeline pipeline;
  const unsigned skewed = (unsigned)__cvta_generic_to_shared(memory) % 1024;
  half_bits* stages = reinterpret_cast<half_bits*>(memory) + (1024 - skewed) % 1024 / 2;
  if (threadIdx.x == 0) pipeline.begin();
  __syncthreads();
  Feed feed{x, weight, pipeline, stages, m, n, k, int(blockIdx.x)};
  if (threadIdx.x == 0)
    for (int step = 1; step < STAGES; ++step) feed.next();
  int turn = 0;
  for (int tile = blockIdx.x; tile < tile_count(m, n); tile += gridDim.x) {
    int i0, j0;
    place_tile<BM, BN, PANEL>(tile, m, n, i0, j0);
    WideSums<BN> sums;
    multiply_tile(pipeline, stages, k, turn, feed, sums);
    const int row = i0 + threadIdx.x / 128 * 64;
    finish_linear<GELU == GELU_short, STORE == STORE_turned>(
        sums, bias + j0, LinearTarget{y + size_t(row) * n + j0, n, m - row, n - j0});
  }
}
