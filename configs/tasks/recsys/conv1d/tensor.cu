// Convolution along a sequence on tensor cores: a product for each tap, of the same positions moved by one. A block walks
// over samples or stretches of them; some channels of x and of the weights at a time are on their way into shared memory.
// @task conv1d
// @knob TILES int {1, 2, 3, 4, 5, 7, 8} = 5       tiles of 8 positions of a warp
// @knob ALONG int {1, 2, 4, 5} = 5                warps along the positions
// @knob TALL int {1, 2, 3, 4} = 2                 tiles of 16 filters of a warp
// @knob DOWN int {1, 2, 3, 4} = 3                 warps along the filters
// @knob CHUNK int {8, 16, 32} = 16                channels of a step
// @knob STAGES int {2, 3, 4} = 3                  steps in shared memory
// @knob GRID enum {full, resident} = resident     a block for each stretch, or as many as run at a time
// @knob BLOCKS int {1, 2, 3} = 1                  on a multiprocessor at least: bounds the registers
// @require ALONG * DOWN <= 16 && ALONG * DOWN * BLOCKS <= 32 && TALL * TILES <= 20
// @require STAGES * 4 * (CHUNK * 8 * ((TILES * ALONG + 1) / 2 * 2 + 1) + 16 * TALL * DOWN * (3 * CHUNK + 4)) <= 232448
// @flags -std=c++17
// @launch conv grid=(batch*ceil_div(length, 8*TILES*ALONG), ceil_div(filters, 16*DOWN*TALL)) block=(32*ALONG*DOWN)
// @+           shared=STAGES*4*(CHUNK*8*((TILES*ALONG + 1)/2*2 + 1) + 16*TALL*DOWN*(3*CHUNK + 4))
// @+           when=GRID == 0 args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @launch conv grid=(min(batch*ceil_div(length, 8*TILES*ALONG), sm_count*occupancy(conv)), ceil_div(filters, 16*DOWN*TALL))
// @+           block=(32*ALONG*DOWN) when=GRID == 1
// @+           shared=STAGES*4*(CHUNK*8*((TILES*ALONG + 1)/2*2 + 1) + 16*TALL*DOWN*(3*CHUNK + 4))
// @+           args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))

#include "gpu_access.cuh"
#include "gpu_tensor.cuh"

constexpr int threads = 32 * ALONG * DOWN;
constexpr int stretch = 8 * TILES * ALONG;        // positions of a block
constexpr int block_filters = 16 * TALL * DOWN;
constexpr int pitch = 8 * ((TILES * ALONG + 1) / 2 * 2 + 1);  // four neighbours at both ends; 8 or 24 modulo 32
constexpr int weight_pitch = 3 * CHUNK + 4;                   // no two lanes of a fragment in one bank
constexpr int stage_size = CHUNK * pitch + block_filters * weight_pitch;

extern __shared__ uint4 memory[];

struct Shape { int channels, filters, length; };

/// Where a stretch begins.
struct Place {
  size_t sample;
  int f, t0;  // first filter and position
};

/// Four floats from `from` into shared memory, zeros unless `inside`; `aligned`: all of them are or none.
template <typename Inside> __device__ void bring(float* to, const float* from, bool aligned, Inside inside) {
  if (aligned) {
    copy_ahead_if(inside(0), to, from);
  } else {
#pragma unroll
    for (int u = 0; u < 4; ++u) to[u] = inside(u) ? from[u] : 0;
  }
}

/// CHUNK channels from c0 on: positions [t0 - 4, t0 + stretch + 4), then weights of the block's filters.
__device__ void fetch(float* to, const float* x, const float* weight, const Place& place, int c0, const Shape& shape) {
  constexpr int across = stretch / 4 + 2, deep = 3 * CHUNK / 4;
  x += place.sample * shape.channels * shape.length;
  for (int at = threadIdx.x; at < CHUNK * across; at += threads) {
    const int c = at / across, t = place.t0 - 4 + at % across * 4;
    bring(to + c * pitch + at % across * 4, x + (long long)(c0 + c) * shape.length + t, shape.length % 4 == 0,
          [&](int u) { return c0 + c < shape.channels && t + u >= 0 && t + u < shape.length; });
  }
  to += CHUNK * pitch;
  const int width = 3 * shape.channels;
  for (int at = threadIdx.x; at < block_filters * deep; at += threads) {
    const int f = at / deep, i = 3 * c0 + at % deep * 4;
    bring(to + f * weight_pitch + at % deep * 4, weight + size_t(place.f + f) * width + i, width % 4 == 0,
          [&](int u) { return place.f + f < shape.filters && i + u < width; });
  }
}

/// Adds the products of one step to the warp's sums.
__device__ void multiply(const float* stage, Sums (&sums)[TALL][TILES]) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
  const float* in = stage + 4 + warp / DOWN * TILES * 8 + g;
  const float* weight = stage + CHUNK * pitch + (warp % DOWN * TALL * 16 + g) * weight_pitch;
  Sums made[TALL][TILES] = {};
#pragma unroll
  for (int c = 0; c < CHUNK; c += 8)
#pragma unroll
    for (int tap = 0; tap < 3; ++tap) {
      Split<4> a[TALL];
      Split<2> b[TILES];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = c + 4 * half + q;
#pragma unroll
        for (int i = 0; i < TALL; ++i)
#pragma unroll
          for (int r = 0; r < 2; ++r)
            a[i].set(2 * half + r, weight[(16 * i + 8 * r) * weight_pitch + 3 * channel + tap]);
#pragma unroll
        for (int j = 0; j < TILES; ++j) b[j].set(half, in[channel * pitch + 8 * j + tap - 1]);
      }
      Float32::multiply(made, a, b);
    }
  add(sums, made);
}

__device__ void put(const Sums (&sums)[TALL][TILES], float* y, const Place& place, const Shape& shape) {
  const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, q = threadIdx.x % 4;
  y += place.sample * shape.filters * shape.length;
#pragma unroll
  for (int i = 0; i < TALL; ++i)
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const int filter = place.f + (warp % DOWN * TALL + i) * 16 + 8 * r + g;
      if (filter >= shape.filters) continue;
#pragma unroll
      for (int j = 0; j < TILES; ++j) {
        const int t = place.t0 + (warp / DOWN * TILES + j) * 8 + 2 * q;
        float* to = y + size_t(filter) * shape.length + t;
        if (shape.length % 2 == 0) {
          if (t < shape.length) *reinterpret_cast<Vector<2>*>(to) = {{sums[i][j].v[2 * r], sums[i][j].v[2 * r + 1]}};
        } else {
          if (t < shape.length) to[0] = sums[i][j].v[2 * r];
          if (t + 1 < shape.length) to[1] = sums[i][j].v[2 * r + 1];
        }
      }
    }
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
conv(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, int batch, int channels,
     int filters, int length) {
  const Shape shape{channels, filters, length};
  const int stretches = (length + stretch - 1) / stretch, chunks = (channels + CHUNK - 1) / CHUNK;
  const int own = (batch * stretches - int(blockIdx.x) + int(gridDim.x) - 1) / int(gridDim.x), steps = own * chunks;
  float* stages = reinterpret_cast<float*>(memory);
  const auto place = [&](int step) {
    const int item = blockIdx.x + step / chunks * gridDim.x;
    return Place{size_t(item / stretches), int(blockIdx.y) * block_filters, item % stretches * stretch};
  };
  const auto bring_step = [&](int step) {
    if (step < steps) fetch(stages + step % STAGES * stage_size, x, weight, place(step), step % chunks * CHUNK, shape);
    end_group();
  };
  for (int step = 0; step < STAGES - 1; ++step) bring_step(step);
  Sums sums[TALL][TILES] = {};
  for (int step = 0; step < steps; ++step) {
    wait_groups<STAGES - 2>();
    __syncthreads();  // this step is there, and the one before is read
    bring_step(step + STAGES - 1);
    multiply(stages + step % STAGES * stage_size, sums);
    if (step % chunks != chunks - 1) continue;
    put(sums, y, place(step), shape);
    clear(sums);
  }
}
