// Convolution along a sequence: a block makes some filters of a stretch of some samples, chunks of channels pass
// through shared memory, the next ones on their way, a thread keeps a tile of filters x positions in registers. The
// weights are turned first, so that those of neighbouring filters come together.
// @task conv1d
// @knob LANES int {8, 16, 20, 32, 40} = 20                threads along the sequence
// @knob GROUPS int {4, 6, 8, 12, 16} = 8                  threads along the filters
// @knob SAMPLES int {1, 2} = 1                            of a block
// @knob SPOTS int {4, 5, 7, 8, 10} = 5                    positions of a thread
// @knob FILTERS int {2, 4, 6, 8} = 4                      filters of a thread
// @knob CHUNK int {4, 8, 16, 32} = 8                      channels in shared memory
// @knob STAGES int {1, 2, 3} = 2                          chunks in shared memory
// @knob SPREAD enum {neighbours, strided} = neighbours    positions of a thread
// @knob BLOCKS int {1, 2, 3} = 1                          on a multiprocessor at least: bounds the registers
// @require LANES * GROUPS * SAMPLES <= 512 && LANES * GROUPS * SAMPLES * BLOCKS <= 1024
// @require 4 * STAGES * CHUNK * (SAMPLES * (LANES * SPOTS + 8) + 3 * (GROUPS * FILTERS + 4)) <= 232448
// @flags -std=c++17
// @scratch turned float32 [3*channels, round_up(filters, 4)]
// @launch turn_weights grid=(3*channels) block=(128) args=(weight, turned, int32(channels), int32(filters))
// @launch conv grid=(ceil_div(batch, SAMPLES)*ceil_div(length, LANES*SPOTS), ceil_div(filters, GROUPS*FILTERS))
// @+           block=(LANES*GROUPS*SAMPLES)
// @+           shared=4*STAGES*CHUNK*(SAMPLES*(LANES*SPOTS + 8) + 3*(GROUPS*FILTERS + 4))
// @+           args=(x, turned, y, int32(batch), int32(channels), int32(filters), int32(length))

#include "gpu_access.cuh"
#include "gpu_tensor.cuh"

constexpr int threads = LANES * GROUPS * SAMPLES;
constexpr int stretch = LANES * SPOTS;  // positions of a block
constexpr int block_filters = GROUPS * FILTERS;
constexpr int before = 4;                        // floats in front of a stretch: its neighbour, and three for alignment
constexpr int pitch = before + stretch + 4;
constexpr int fours = FILTERS % 4 == 0 ? 4 : 2;  // weights of one access
constexpr int tap_pitch = block_filters + 4;     // padded against bank conflicts
constexpr int in_size = CHUNK * pitch;           // of a sample
constexpr int stage_size = SAMPLES * in_size + CHUNK * 3 * tap_pitch;

extern __shared__ float4 memory[];

extern "C" __global__ void __launch_bounds__(128)
turn_weights(const float* weight, float* turned, int channels, int filters) {
  const int wide = (filters + 3) / 4 * 4, q = blockIdx.x;  // channel and tap
  for (int f = threadIdx.x; f < wide; f += 128) turned[q * wide + f] = f < filters ? weight[f * channels * 3 + q] : 0;
}

struct Shape { int batch, channels, filters, length; };

/// Where a block works.
struct Place { int b, t0, f0; };

/// Four floats on their way.
__device__ void bring(float* to, const float* from, bool inside) {
  if (inside) copy_ahead(to, from);
  else *reinterpret_cast<Vector<4>*>(to) = Vector<4>{};
}

/// Channels from c0 on, of x and of the weights; zeros outside.
__device__ void load(float* stage, const float* x, const float* turned, int c0, const Place& place,
                     const Shape& shape) {
  for (int at = threadIdx.x; at < SAMPLES * CHUNK * (pitch / 4); at += threads) {
    const int row = at / (pitch / 4), p = at % (pitch / 4) * 4;
    const int b = place.b + row / CHUNK, c = c0 + row % CHUNK, t = place.t0 + p - before;
    float* to = stage + row * pitch + p;
    const float* from = x + (size_t(b) * shape.channels + c) * shape.length + t;
    const bool inside = b < shape.batch && c < shape.channels;
    if (shape.length % 4 == 0) {
      bring(to, from, inside && t >= 0 && t < shape.length);
    } else {
#pragma unroll
      for (int u = 0; u < 4; ++u) to[u] = inside && t + u >= 0 && t + u < shape.length ? from[u] : 0;
    }
  }
  const int wide = (shape.filters + 3) / 4 * 4;
  for (int at = threadIdx.x; at < CHUNK * 3 * (block_filters / 4); at += threads) {
    const int q = at / (block_filters / 4), f = at % (block_filters / 4) * 4;
    bring(stage + SAMPLES * in_size + q * tap_pitch + f, turned + size_t(3 * c0 + q) * wide + place.f0 + f,
          3 * c0 + q < 3 * shape.channels && place.f0 + f < wide);
  }
}

/// Position s of a thread within the stretch.
__device__ int position(int lane, int s) {
  return SPREAD == SPREAD_neighbours ? lane * SPOTS + s : lane + s * LANES;
}

/// What a thread needs of a row: at(s, j) stands one position in front of position s for tap j = 0.
struct Window {
  static constexpr bool pairs = SPREAD == SPREAD_neighbours && SPOTS % 2 == 0;
  float v[SPREAD == SPREAD_neighbours ? SPOTS + 4 : 3 * SPOTS];

  __device__ Window(const float* row, int lane) {
    if constexpr (pairs) {
#pragma unroll
      for (int k = 0; k < SPOTS + 4; k += 2) {
        const auto two = *reinterpret_cast<const Vector<2>*>(row + before - 2 + lane * SPOTS + k);
        v[k] = two.v[0];
        v[k + 1] = two.v[1];
      }
    } else if constexpr (SPREAD == SPREAD_neighbours) {
#pragma unroll
      for (int k = 1; k < SPOTS + 3; ++k) v[k] = row[before - 2 + lane * SPOTS + k];
    } else {
#pragma unroll
      for (int k = 0; k < 3 * SPOTS; ++k) v[k] = row[before - 1 + lane + k / 3 * LANES + k % 3];
    }
  }
  __device__ float at(int s, int j) const { return v[SPREAD == SPREAD_neighbours ? s + j + 1 : 3 * s + j]; }
};

/// Adds one channel's part.
__device__ void add(const float* row, const float* taps, int lane, int group, float (&sums)[FILTERS][SPOTS]) {
  const Window window(row, lane);
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int f = 0; f < FILTERS; f += fours) {
      const auto w = *reinterpret_cast<const Vector<fours>*>(taps + j * tap_pitch + group * FILTERS + f);
#pragma unroll
      for (int u = 0; u < fours; ++u)
#pragma unroll
        for (int s = 0; s < SPOTS; ++s) sums[f + u][s] = fmaf(w.v[u], window.at(s, j), sums[f + u][s]);
    }
}

extern "C" __global__ void __launch_bounds__(threads, BLOCKS)
conv(const float* __restrict__ x, const float* __restrict__ turned, float* __restrict__ y, int batch, int channels,
     int filters, int length) {
  const Shape shape{batch, channels, filters, length};
  const int stretches = (length + stretch - 1) / stretch, chunks = (channels + CHUNK - 1) / CHUNK;
  const Place place{int(blockIdx.x) / stretches * SAMPLES, int(blockIdx.x) % stretches * stretch,
                    int(blockIdx.y) * block_filters};
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES % GROUPS, sample = threadIdx.x / (LANES * GROUPS);
  float* stages = reinterpret_cast<float*>(memory);
  const auto ask = [&](int chunk) {
    if (chunk < chunks) load(stages + chunk % STAGES * stage_size, x, turned, chunk * CHUNK, place, shape);
    end_group();
  };
  for (int chunk = 0; chunk < STAGES - 1; ++chunk) ask(chunk);
  float sums[FILTERS][SPOTS] = {};
  for (int chunk = 0; chunk < chunks; ++chunk) {
    if constexpr (STAGES == 1) ask(chunk);
    wait_groups<STAGES == 1 ? 0 : STAGES - 2>();
    __syncthreads();  // this chunk is there, and the one before is read
    if constexpr (STAGES > 1) ask(chunk + STAGES - 1);
    const float* now = stages + chunk % STAGES * stage_size;
#pragma unroll 2
    for (int c = 0; c < CHUNK; ++c)
      add(now + sample * in_size + c * pitch, now + SAMPLES * in_size + c * 3 * tap_pitch, lane, group, sums);
    if constexpr (STAGES == 1) __syncthreads();
  }
  if (place.b + sample >= batch) return;
#pragma unroll
  for (int f = 0; f < FILTERS; ++f)
#pragma unroll
    for (int s = 0; s < SPOTS; ++s) {
      const int filter = place.f0 + group * FILTERS + f, t = place.t0 + position(lane, s);
      if (filter < filters && t < length) y[(size_t(place.b + sample) * filters + filter) * length + t] = sums[f][s];
    }
}
