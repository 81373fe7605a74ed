// Convolution along a sequence: a block makes some filters of a stretch of one sample, chunks of channels pass
// through shared memory, a thread keeps a tile of filters x positions in registers.
// @task conv1d
// @knob LANES int {8, 16, 20, 32, 40} = 32                threads along the sequence
// @knob GROUPS int {4, 6, 8, 12, 16} = 8                  threads along the filters
// @knob SPOTS int {4, 5, 7, 8, 10} = 4                    positions of a thread
// @knob FILTERS int {2, 4, 6, 8} = 4                      filters of a thread
// @knob CHUNK int {4, 8, 16, 32} = 8                      channels in shared memory
// @knob SPREAD enum {neighbours, strided} = neighbours    positions of a thread
// @require LANES * GROUPS <= 512
// @flags -std=c++17; -maxrregcount={,64,128}
// @launch conv grid=(batch*ceil_div(length, LANES*SPOTS), ceil_div(filters, GROUPS*FILTERS)) block=(LANES*GROUPS)
// @+           shared=4*CHUNK*(LANES*SPOTS + 2 + 3*(GROUPS*FILTERS + 4))
// @+           args=(x, weight, y, int32(channels), int32(filters), int32(length))

#include "gpu_access.cuh"

constexpr int threads = LANES * GROUPS;
constexpr int stretch = LANES * SPOTS;           // positions of a block
constexpr int block_filters = GROUPS * FILTERS;
constexpr int pitch = stretch + 2;               // with the neighbours of both ends
constexpr int fours = FILTERS % 4 == 0 ? 4 : 2;  // weights of one access
constexpr int tap_pitch = block_filters + 4;     // padded against bank conflicts

extern __shared__ float memory[];

/// Position s of a thread within the stretch.
__device__ int position(int lane, int s) {
  return SPREAD == SPREAD_neighbours ? lane * SPOTS + s : lane + s * LANES;
}

__device__ void load(const float* x, const float* weight, float* in, float* taps, int c0, int f0, int t0, int channels,
                     int filters, int length) {
  for (int at = threadIdx.x; at < CHUNK * pitch; at += threads) {
    const int c = c0 + at / pitch, t = t0 + at % pitch - 1;
    in[at] = c < channels && t >= 0 && t < length ? x[size_t(c) * length + t] : 0;
  }
  for (int at = threadIdx.x; at < CHUNK * 3 * block_filters; at += threads) {
    const int f = f0 + at / (CHUNK * 3), q = at % (CHUNK * 3), c = c0 + q / 3;
    taps[q * tap_pitch + at / (CHUNK * 3)] =
        f < filters && c < channels ? weight[size_t(f) * channels * 3 + size_t(c0) * 3 + q] : 0;
  }
}

/// Adds one channel's part.
__device__ void add(const float* in, const float* taps, int lane, int group, float (&sums)[FILTERS][SPOTS]) {
  constexpr int width = SPREAD == SPREAD_neighbours ? SPOTS + 2 : 3 * SPOTS;
  float window[width];
#pragma unroll
  for (int k = 0; k < width; ++k)
    window[k] = SPREAD == SPREAD_neighbours ? in[lane * SPOTS + k] : in[lane + k / 3 * LANES + k % 3];
#pragma unroll
  for (int j = 0; j < 3; ++j)
#pragma unroll
    for (int f = 0; f < FILTERS; f += fours) {
      const auto w = *reinterpret_cast<const Vector<fours>*>(taps + j * tap_pitch + group * FILTERS + f);
#pragma unroll
      for (int u = 0; u < fours; ++u)
#pragma unroll
        for (int s = 0; s < SPOTS; ++s)
          sums[f + u][s] = fmaf(w.v[u], window[SPREAD == SPREAD_neighbours ? s + j : 3 * s + j], sums[f + u][s]);
    }
}

extern "C" __global__ void __launch_bounds__(LANES * GROUPS)
conv(const float* __restrict__ x, const float* __restrict__ weight, float* __restrict__ y, int channels, int filters,
     int length) {
  float *in = memory, *taps = memory + CHUNK * pitch;
  const int stretches = (length + stretch - 1) / stretch;
  const int b = blockIdx.x / stretches, t0 = blockIdx.x % stretches * stretch, f0 = blockIdx.y * block_filters;
  const int lane = threadIdx.x % LANES, group = threadIdx.x / LANES;
  x += size_t(b) * channels * length;
  float sums[FILTERS][SPOTS] = {};
  for (int c0 = 0; c0 < channels; c0 += CHUNK) {
    load(x, weight, in, taps, c0, f0, t0, channels, filters, length);
    __syncthreads();
#pragma unroll 2
    for (int c = 0; c < CHUNK; ++c) add(in + c * pitch, taps + c * 3 * tap_pitch, lane, group, sums);
    __syncthreads();
  }
#pragma unroll
  for (int f = 0; f < FILTERS; ++f)
#pragma unroll
    for (int s = 0; s < SPOTS; ++s) {
      const int filter = f0 + group * FILTERS + f, t = t0 + position(lane, s);
      if (filter < filters && t < length) y[(size_t(b) * filters + filter) * length + t] = sums[f][s];
    }
}
