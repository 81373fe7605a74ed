// A linear layer with GELU in bfloat16 by clusters of blocks: two of them share the tiles of weight or of x that the copy
// engine brings. A warp of its own asks for tiles, two warpgroups multiply them: a half of the block's tile each, or each
// a tile of its own, and then one multiplies while the other adds bias, computes GELU and stores. Blocks stay until all
// tiles are done. Rows that the copy engine cannot reach, whose length is no multiple of sixteen bytes, are copied to some
// that it can.
// @task gemm_gelu_bf16
// @knob TALL int {1, 2} = 1                       tiles of 64 rows of a warpgroup
// @knob BN int {64, 128, 256} = 256               columns of a block's tile
// @knob ALTERNATE bool = true                     each warpgroup has tiles of its own
// @knob PAIR enum {none, down, across} = down     a cluster's blocks: alone, one below the other, or side by side
// @knob STAGES int {2, 3, 4, 5, 6} = 4            steps of 64 in shared memory
// @knob STORE enum {direct, turned} = turned      results by pairs, or by eight, swapped among four lanes
// @knob GELU enum {exact, short} = short          erfc of the library, or of five terms
// @knob PANEL int {1, 4, 8, 16} = 8               rows of tiles that run side by side, for the L2 cache
// @require TALL * BN <= 256 && (64*TALL*(2 - ALTERNATE) + BN) * 128 * STAGES <= 229376
// @flags -std=c++17; --use_fast_math?
// @scratch padded_x bfloat16 [1 + (k % 8 != 0)*(m*round_up(k, 8) - 1)]
// @scratch padded_weight bfloat16 [1 + (k % 8 != 0)*(n*round_up(k, 8) - 1)]
// @tensor_map x_tiles of x dims=(k, 1 + (k % 8 == 0)*(m - 1)) strides=(round_up(2*k, 16))
// @+          box=(64, 64*TALL*(2 - ALTERNATE)/(1 + (PAIR == 2))) swizzle=128B promotion=256B
// @tensor_map weight_tiles of weight dims=(k, 1 + (k % 8 == 0)*(n - 1)) strides=(round_up(2*k, 16))
// @+          box=(64, BN/(1 + (PAIR == 1))) swizzle=128B promotion=256B
// @tensor_map padded_x_tiles of padded_x dims=(1 + (k % 8 != 0)*(k - 1), 1 + (k % 8 != 0)*(m - 1))
// @+          strides=(round_up(2*k, 16)) box=(64, 64*TALL*(2 - ALTERNATE)/(1 + (PAIR == 2))) swizzle=128B promotion=256B
// @tensor_map padded_weight_tiles of padded_weight dims=(1 + (k % 8 != 0)*(k - 1), 1 + (k % 8 != 0)*(n - 1))
// @+          strides=(round_up(2*k, 16)) box=(64, BN/(1 + (PAIR == 1))) swizzle=128B promotion=256B
// @launch pad grid=(m) block=(256) args=(x, padded_x, int32(k)) when=k % 8 != 0
// @launch pad grid=(n) block=(256) args=(weight, padded_weight, int32(k)) when=k % 8 != 0
// @launch linear block=(384) cluster=(1 + (PAIR != 0)) shared=(64*TALL*(2 - ALTERNATE) + BN)*128*STAGES + 1024
// @+             grid=((1 + (PAIR != 0))*min(sm_count/(1 + (PAIR != 0)),
// @+                   ceil_div(m, 64*TALL*(2 - ALTERNATE)*(1 + (PAIR == 1)))*ceil_div(n, BN*(1 + (PAIR == 2)))))
// @+             args=(x_tiles, weight_tiles, bias, y, int32(m), int32(n), int32(k)) when=k % 8 == 0
// @launch linear block=(384) cluster=(1 + (PAIR != 0)) shared=(64*TALL*(2 - ALTERNATE) + BN)*128*STAGES + 1024 pdl
// @+             grid=((1 + (PAIR != 0))*min(sm_count/(1 + (PAIR != 0)),
// @+                   ceil_div(m, 64*TALL*(2 - ALTERNATE)*(1 + (PAIR == 1)))*ceil_div(n, BN*(1 + (PAIR == 2)))))
// @+             args=(padded_x_tiles, padded_weight_tiles, bias, y, int32(m), int32(n), int32(k)) when=k % 8 != 0

#include "gpu_linear.cuh"
#include "gpu_tiles.cuh"
#include "gpu_warpgroup.cuh"

constexpr int BK = 64;
constexpr int sharers = ALTERNATE ? 1 : 2;         // warpgroups of a tile
constexpr int BM = 64 * TALL * sharers;            // rows of a block's tile
constexpr int blocks = PAIR == PAIR_none ? 1 : 2;  // of a cluster
constexpr int down = PAIR == PAIR_down ? 2 : 1, across = PAIR == PAIR_across ? 2 : 1;  // their tiles
constexpr int stage_size = (BM + BN) * BK;

extern __shared__ uint4 memory[];

extern "C" __global__ void __launch_bounds__(256) pad(const half_bits* from, half_bits* to, int k) {
  let_next_start();
  const int pitch = (k + 7) / 8 * 8;
  for (int p = threadIdx.x; p < k; p += 256) to[blockIdx.x * size_t(pitch) + p] = from[blockIdx.x * size_t(k) + p];
}

/// Waits for the other block too.
__device__ void meet() {
  if constexpr (blocks == 1) __syncthreads();
  else meet_cluster();
}

/// Full: the bytes of a stage have come. Empty: all warps that multiply have read them, those of the other block too,
/// which gets the same. Turn: the other warpgroup has seen all steps of its tile come.
struct Pipeline {
  Barrier full[STAGES], empty[STAGES], turn[2];

  __device__ void begin() {
    for (int stage = 0; stage < STAGES; ++stage) {
      full[stage].begin(1);
      empty[stage].begin(4 * sharers * blocks);
    }
    for (Barrier& own : turn) own.begin(4);
    barriers_ready();
  }
  __device__ void release(int step) {
    if (threadIdx.x % 32 != 0) return;
    if constexpr (blocks == 1) {
      empty[step % STAGES].arrive();
    } else {
      empty[step % STAGES].arrive_at(0);
      empty[step % STAGES].arrive_at(1);
    }
  }
};

struct Shape {
  int m, n, k;

  __device__ int steps() const { return (k + BK - 1) / BK; }
  __device__ int tiles() const {  // of a cluster
    return (m + down * BM - 1) / (down * BM) * ((n + across * BN - 1) / (across * BN));
  }
  /// First row and column of the block's part of a tile.
  __device__ void place(int tile, int& i0, int& j0) const {
    place_tile<down * BM, across * BN, PANEL>(tile, m, n, i0, j0);
    if (down == 2) i0 += block_of_cluster() * BM;
    if (across == 2) j0 += block_of_cluster() * BN;
  }
};

/// ROWS of a matrix; each of two blocks brings a half for both if they share them.
template <int ROWS, bool SHARED>
__device__ void bring(half_bits* to, const TensorMap& map, int p, int row, Barrier& full) {
  if constexpr (SHARED) {
    const int first = block_of_cluster() * (ROWS / 2);
    copy_tile_to_both(to + first * BK, map, p, row + first, full);
  } else {
    copy_tile(to, map, p, row, full);
  }
}

/// Asks for the steps of all tiles of the block, one after the other. Of one thread.
__device__ void feed(Pipeline& pipeline, half_bits* stages, const TensorMap& x, const TensorMap& weight,
                     const Shape& shape) {
  int step = 0;
  for (int tile = blockIdx.x / blocks; tile < shape.tiles(); tile += gridDim.x / blocks) {
    int i0, j0;
    shape.place(tile, i0, j0);
    for (int p = 0; p < shape.k; p += BK, ++step) {
      const int stage = step % STAGES;
      if (step >= STAGES) pipeline.empty[stage].wait((step / STAGES - 1) % 2);
      half_bits* to = stages + stage * stage_size;
      pipeline.full[stage].arrive_and_expect(2 * stage_size);
      bring<BM, across == 2>(to, x, p, i0, pipeline.full[stage]);
      bring<BN, down == 2>(to + BM * BK, weight, p, j0, pipeline.full[stage]);
    }
  }
}

/// The sums of a warpgroup's part of its `count`-th tile, from this step on.
__device__ void multiply_tile(Pipeline& pipeline, const half_bits* stages, int count, int step, int steps,
                              WideSums<BN> (&sums)[TALL]) {
  const int group = threadIdx.x / 128, first = ALTERNATE ? 0 : group * 64 * TALL;
  if (ALTERNATE && count + group > 0) pipeline.turn[group].wait((count + group - 1) % 2);
  for (const int begin = step, end = step + steps; step < end; ++step) {
    const half_bits* x = stages + step % STAGES * stage_size + first * BK;
    const half_bits* weight = stages + step % STAGES * stage_size + BM * BK;
    pipeline.full[step % STAGES].wait(step / STAGES % 2);
    begin_products();
#pragma unroll
    for (int i = 0; i < BK / 16; ++i)
#pragma unroll
      for (int t = 0; t < TALL; ++t)
        multiply(sums[t], Tile(x + 64 * t * BK, i), Tile(weight, i), step > begin || i > 0);
    end_products();
    wait_products<1>();
    if (step > begin) pipeline.release(step - 1);
  }
  if (ALTERNATE && threadIdx.x % 32 == 0) pipeline.turn[1 - group].arrive();
  wait_products<0>();
  pipeline.release(step - 1);
}

extern "C" __global__ void __launch_bounds__(384, 1)
linear(const __grid_constant__ TensorMap x, const __grid_constant__ TensorMap weight, const half_bits* __restrict__ bias,
       half_bits* __restrict__ y, int m, int n, int k) {
  __shared__ Pipeline pipeline;
  const unsigned skewed = (unsigned)__cvta_generic_to_shared(memory) % 1024;
  half_bits* stages = reinterpret_cast<half_bits*>(memory) + (1024 - skewed) % 1024 / 2;
  if (threadIdx.x == 0) pipeline.begin();
  meet();
  const Shape shape{m, n, k};
  const int group = threadIdx.x / 128;
  if (group == 2) {
    less_registers<40>();
    wait_for_previous();
    if (threadIdx.x == 256) feed(pipeline, stages, x, weight, shape);
  } else {
    more_registers<232>();
    const int steps = shape.steps(), clusters = gridDim.x / blocks;
    for (int count = 0;; ++count) {
      const int place = ALTERNATE ? 2 * count + group : count;  // among the block's tiles
      const int tile = blockIdx.x / blocks + place * clusters;
      if (tile >= shape.tiles()) break;
      WideSums<BN> sums[TALL];
      multiply_tile(pipeline, stages, count, place * steps, steps, sums);
      int i0, j0;
      shape.place(tile, i0, j0);
      if (!ALTERNATE) i0 += group * 64 * TALL;
#pragma unroll
      for (int t = 0; t < TALL; ++t) {
        const int row = i0 + 64 * t;
        finish_linear<GELU == GELU_short, STORE == STORE_turned>(
            sums[t], bias + j0, LinearTarget{y + size_t(row) * n + j0, n, m - row, n - j0});
      }
    }
  }
  if constexpr (blocks == 2) meet();  // a block's memory stays until the other has told it all
}
