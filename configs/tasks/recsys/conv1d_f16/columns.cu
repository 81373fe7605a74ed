// Convolution with three taps in float16 on tensor cores, by warpgroups. The copy engine brings samples as they lie, some
// ahead. A warpgroup has 32 filters, whose weights it holds in registers, and takes the columns of a sample window by
// window: its products with all three taps come of the same columns, and those of the outer taps are moved by a position
// when they are added up. Blocks stay until all samples are done. Sequences that the copy engine cannot reach, whose length
// is no multiple of sixteen bytes, are copied to some that it can. More channels than `conv` holds weights of are for
// `conv_wide`, more than 128 for plain loops.
// @task conv1d_f16
// @knob GROUPS int {1, 2, 3} = 3                  warpgroups of a block, of 32 filters each
// @knob HELD int {1, 2, 3, 4, 6} = 6              steps of 16 channels that a warpgroup holds weights of
// @knob STAGES int {2, 3, 4, 5, 6} = 3            stretches of x in shared memory
// @knob RESTS int {0, 1} = 1                      stretches that a stage lies idle for, so that nobody waits for others
// @knob STORE enum {threads, bulk} = bulk         results by threads, or by the copy engine if whole sequences fit
// @require RESTS < STAGES - 1 && STAGES*HELD*8192 + GROUPS*12800 + 1152 <= 232448
// @flags -std=c++17
// @scratch padded float16 [1 + (length % 8 != 0)*(batch*channels*round_up(length, 8) - 1)]
// @tensor_map stretches of x dims=(length, 1 + (length % 8 == 0)*(channels - 1), 1 + (length % 8 == 0)*(batch - 1))
// @+          strides=(round_up(2*length, 16), channels*round_up(2*length, 16)) box=(64, 16*HELD, 1) swizzle=128B
// @+          promotion=256B
// @tensor_map padded_stretches of padded dims=(1 + (length % 8 != 0)*(length - 1),
// @+          1 + (length % 8 != 0)*(channels - 1), 1 + (length % 8 != 0)*(batch - 1)) box=(64, 16*HELD, 1)
// @+          strides=(round_up(2*length, 16), channels*round_up(2*length, 16)) swizzle=128B promotion=256B
// @tensor_map wide_stretches of x dims=(length, 1 + (length % 8 == 0)*(channels - 1), 1 + (length % 8 == 0)*(batch - 1))
// @+          strides=(round_up(2*length, 16), channels*round_up(2*length, 16)) box=(64, 128, 1) swizzle=128B
// @+          promotion=256B
// @tensor_map padded_wide_stretches of padded dims=(1 + (length % 8 != 0)*(length - 1),
// @+          1 + (length % 8 != 0)*(channels - 1), 1 + (length % 8 != 0)*(batch - 1)) box=(64, 128, 1)
// @+          strides=(round_up(2*length, 16), channels*round_up(2*length, 16)) swizzle=128B promotion=256B
// @launch pad grid=(batch*channels) block=(256) args=(x, padded, int32(length)) when=length % 8 != 0 && channels <= 128
// @launch conv block=(128*GROUPS) shared=STAGES*HELD*8192 + GROUPS*12800 + 1152
// @+           grid=(min(sm_count, batch*ceil_div(length, 184)), ceil_div(filters, 32*GROUPS))
// @+           args=(stretches, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @+           when=channels <= 16*HELD && length % 8 == 0
// @launch conv block=(128*GROUPS) shared=STAGES*HELD*8192 + GROUPS*12800 + 1152 pdl
// @+           grid=(min(sm_count, batch*ceil_div(length, 184)), ceil_div(filters, 32*GROUPS))
// @+           args=(padded_stretches, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @+           when=channels <= 16*HELD && length % 8 != 0
// @launch conv_wide block=(256) shared=223360
// @+           grid=(min(sm_count, batch*ceil_div(length, 184)), ceil_div(filters, 64))
// @+           args=(wide_stretches, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @+           when=channels > 16*HELD && channels <= 128 && length % 8 == 0
// @launch conv_wide block=(256) shared=223360 pdl
// @+           grid=(min(sm_count, batch*ceil_div(length, 184)), ceil_div(filters, 64))
// @+           args=(padded_wide_stretches, weight, y, int32(batch), int32(channels), int32(filters), int32(length))
// @+           when=channels > 16*HELD && channels <= 128 && length % 8 != 0
// @launch plain grid=(ceil_div(batch*filters*length, 256)) block=(256) when=channels > 128
// @+           args=(x, weight, y, int32(batch), int32(channels), int32(filters), int32(length))

#include "gpu_columns.cuh"

constexpr int boxes = 4;           // of 64 columns, of a stage
constexpr int most_columns = 200;  // of a stage that are multiplied: windows of 64, 64 and 72
constexpr int results = 184;       // positions of a stretch, where a sequence needs several

extern __shared__ uint4 memory[];

extern "C" __global__ void __launch_bounds__(256) pad(const half_bits* from, half_bits* to, int length) {
  let_next_start();
  const int pitch = (length + 7) / 8 * 8;
  for (int t = threadIdx.x; t < length; t += 256)
    to[blockIdx.x * size_t(pitch) + t] = from[blockIdx.x * size_t(length) + t];
}

struct Shape {
  int batch, channels, filters, length;

  __device__ int stretches() const { return length <= most_columns ? 1 : (length + results - 1) / results; }
};

/// Columns of a sequence in shared memory, of which [begin, end) become results; with eight more in front and behind
/// where the sequence goes on.
struct Stretch {
  int sample, first, begin, end, columns;

  __device__ Stretch(const Shape& shape, int item) {
    const int parts = shape.stretches(), part = item % parts;
    sample = item / parts;
    first = parts == 1 ? 0 : part * results - 8;
    begin = parts == 1 ? 0 : 8;
    columns = shape.length - first;
    end = parts == 1 ? columns : min(columns, results + 8);
  }
  __device__ int filled() const { return min(boxes, columns / 64 + 1); }
};

/// Two tiles of weights for each of K steps of 16 channels: rows g and g + 8 of a warp are the first two taps of filter
/// 8 warp + g, and its third one and nothing.
template <int K> struct Weights {
  Left outer[K], last[K];

  __device__ void load(const half_bits* weight, const Shape& shape, int filter) {
#pragma unroll
    for (int k = 0; k < K; ++k)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = 16 * k + 8 * half + threadIdx.x % 4 * 2;
        outer[k].r[2 * half] = pair(weight, shape, filter, channel, 0);
        outer[k].r[2 * half + 1] = pair(weight, shape, filter, channel, 1);
        last[k].r[2 * half] = pair(weight, shape, filter, channel, 2);
        last[k].r[2 * half + 1] = 0;
      }
  }
  static __device__ unsigned pair(const half_bits* weight, const Shape& shape, int filter, int channel, int tap) {
    const half_bits* at = weight + (size_t(filter) * shape.channels + channel) * 3 + tap;
    const unsigned low = filter < shape.filters && channel < shape.channels ? at[0] : 0;
    const unsigned high = filter < shape.filters && channel + 1 < shape.channels ? at[3] : 0;
    return low | high << 16;
  }
};

template <int N> struct Products {
  WideSums<N> outer, last;

  template <int K> __device__ void make(const Weights<K>& weights, const half_bits* box) {
#pragma unroll
    for (int k = 0; k < K; ++k) {
      const Columns columns = Columns::of<16 * K>(box, k);
      multiply(outer, weights.outer[k], columns, k > 0);
      multiply(last, weights.last[k], columns, k > 0);
    }
  }
};

/// The value of lane `from` of the same four lanes.
__device__ inline float of_lane(float value, int from) { return __shfl_sync(~0u, value, from, 4); }

/// The row of a filter along the tiles of eight positions. Position t takes the first tap's product at t - 1 and the last
/// one's at t + 1: from another lane, or from the tile before or behind.
struct Row {
  float before = 0;        // product of the first tap at the end of the tile before, in lane 3 of four
  float open[2] = {0, 0};  // the tile before, whose last position lacks what it takes from this one

  /// Adds what this tile means to the one before, gives that as a pair, and keeps this one.
  __device__ unsigned next(const float (&outer)[4], const float (&last)[2]) {
    const int q = threadIdx.x % 4;
    const float left = of_lane(q == 3 ? before : outer[1], (q + 3) % 4), right = of_lane(last[0], (q + 1) % 4);
    const unsigned closed = Float16::pair(open[0], open[1] + (q == 3 ? right : 0));
    open[0] = left + outer[2] + last[1];
    open[1] = outer[0] + outer[3] + (q == 3 ? 0 : right);
    before = outer[1];
    return closed;
  }
};

/// A block of G warpgroups with weights for K steps of 16 channels, and S stretches in shared memory.
template <int G, int K, int S> struct Block {
  static constexpr int box_size = 16 * K * 64, stage_size = boxes * box_size;
  static constexpr int rests = S > 2 ? RESTS : 0;

  /// Full: the boxes of a stage have come. Empty: all warpgroups have multiplied them.
  struct Pipeline { Barrier full[S], empty[S]; };

  const TensorMap& map;
  half_bits* y;
  Shape shape;
  half_bits *stages, *staged;  // of x; results of the warpgroup, 32 rows
  Pipeline* pipeline;
  int group, asked = 0;  // the warpgroup; stretches that were asked for

  __device__ Block(const TensorMap& of_x, half_bits* to, const Shape& given) : map(of_x), y(to), shape(given) {
    char* aligned = reinterpret_cast<char*>(memory);
    aligned += -(unsigned)__cvta_generic_to_shared(aligned) & 1023;
    stages = reinterpret_cast<half_bits*>(aligned);
    group = __shfl_sync(~0u, threadIdx.x / 128, 0, 32);
    staged = stages + S * stage_size + group * 32 * most_columns;
    pipeline = reinterpret_cast<Pipeline*>(stages + S * stage_size + G * 32 * most_columns);
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < S; ++stage) {
        pipeline->full[stage].begin(1);
        pipeline->empty[stage].begin(G);
      }
      barriers_ready();
    }
    __syncthreads();
  }

  __device__ int work() const { return shape.batch * shape.stretches(); }
  __device__ int first_filter() const { return (blockIdx.y * G + group) * 32; }
  /// Of a row of results. Those that the copy engine takes lie as in y.
  __device__ int pitch() const { return shape.stretches() == 1 ? (shape.length + 7) / 8 * 8 : most_columns; }
  __device__ bool by_engine() const { return STORE == STORE_bulk && shape.stretches() == 1 && shape.length % 8 == 0; }
  __device__ bool leads() const { return threadIdx.x % 128 == 0; }

  /// Asks for the block's stretches before `end`, by one thread; those in the same places are, or will be, multiplied.
  __device__ void ask(int end) {
    for (; asked < end; ++asked) {
      const int item = blockIdx.x + asked * gridDim.x, stage = asked % S;
      if (item >= work()) return;
      if (asked >= S) pipeline->empty[stage].wait((asked / S - 1) % 2);
      const Stretch stretch(shape, item);
      pipeline->full[stage].arrive_and_expect(2 * box_size * stretch.filled());
      for (int box = 0; box < stretch.filled(); ++box)
        copy_box(stages + stage * stage_size + box * box_size, map, stretch.first + 64 * box, 0, stretch.sample,
                 pipeline->full[stage]);
    }
  }

  /// N columns from `begin` on of the stretch that is in `stage`.
  template <int N>
  __device__ void window(int begin, int stage, const Weights<K>& weights, const Stretch& stretch, Row& row, int next) {
    Products<N> products;
    begin_products();
    products.make(weights, stages + stage * stage_size + begin / 64 * box_size);
    end_products();
    if (begin == 0) {
      if (threadIdx.x == 0) ask(next);
      __syncwarp();
    }
    wait_products<0>();
#pragma unroll
    for (int tile = 0; tile < N / 8; ++tile) {
      const float *o = products.outer.v + 4 * tile, *l = products.last.v + 4 * tile;
      put(row.next({o[0], o[1], o[2], o[3]}, {l[0], l[1]}), begin + 8 * tile - 8, stretch);
    }
  }

  __device__ void put(unsigned pair, int position, const Stretch& stretch) {
    if (position < stretch.begin || position >= stretch.end) return;
    *reinterpret_cast<unsigned*>(staged + threadIdx.x % 128 / 4 * pitch() + position + threadIdx.x % 4 * 2) = pair;
  }

  /// The block's stretch of this number.
  __device__ void take(int number, const Weights<K>& weights, const Stretch& stretch) {
    const int stage = number % S;
    if (by_engine() && leads()) wait_copied_out();
    meet_warpgroup(group);
    pipeline->full[stage].wait(number / S % 2);
    Row row;
    window<64>(0, stage, weights, stretch, row, number + S - rests);
    if (stretch.columns > 64) window<64>(64, stage, weights, stretch, row, 0);
    if (stretch.columns > 128) window<72>(128, stage, weights, stretch, row, 0);
    if (leads()) pipeline->empty[stage].arrive();
    const int done = stretch.columns > 128 ? 200 : stretch.columns > 64 ? 128 : 64;
    put(row.next({}, {}), done - 8, stretch);
  }

  /// Results of a stretch to where they belong.
  __device__ void store(const Stretch& stretch) {
    const int rows = min(32, shape.filters - first_filter());
    half_bits* to = y + (size_t(stretch.sample) * shape.filters + first_filter()) * shape.length + stretch.first;
    if (by_engine()) shown_to_copies();
    meet_warpgroup(group);
    if (by_engine()) {
      if (leads() && rows > 0) copy_out(to, staged, rows * shape.length * 2);
      return;
    }
    const int tiles = (stretch.end - stretch.begin + 7) / 8;
    for (int at = threadIdx.x % 128; at < rows * tiles; at += 128) {
      const int t = stretch.begin + at % tiles * 8;
      const half_bits* value = staged + at / tiles * pitch() + t;
      half_bits* into = to + size_t(at / tiles) * shape.length + t;
      if (shape.length % 8 == 0) {
        *reinterpret_cast<uint4*>(into) = *reinterpret_cast<const uint4*>(value);
      } else {
#pragma unroll
        for (int u = 0; u < 8; ++u)
          if (t + u < stretch.end) into[u] = value[u];
      }
    }
  }

  __device__ void run(const half_bits* weight) {
    if (threadIdx.x == 0) ask(S - rests);
    Weights<K> weights;
    weights.load(weight, shape, first_filter() + threadIdx.x % 128 / 4);
    int number = 0;
    for (int item = blockIdx.x; item < work(); item += gridDim.x, ++number) {
      const Stretch stretch(shape, item);
      take(number, weights, stretch);
      store(stretch);
    }
    if (by_engine() && leads()) wait_copied_out();
  }
};

extern "C" __global__ void __launch_bounds__(128 * GROUPS, 1)
conv(const __grid_constant__ TensorMap map, const half_bits* __restrict__ weight, half_bits* __restrict__ y, int batch,
     int channels, int filters, int length) {
  wait_for_previous();
  Block<GROUPS, HELD, STAGES>(map, y, {batch, channels, filters, length}).run(weight);
}

extern "C" __global__ void __launch_bounds__(256, 1)
conv_wide(const __grid_constant__ TensorMap map, const half_bits* __restrict__ weight, half_bits* __restrict__ y,
          int batch, int channels, int filters, int length) {
  wait_for_previous();
  Block<2, 8, 3>(map, y, {batch, channels, filters, length}).run(weight);
}

extern "C" __global__ void __launch_bounds__(256)
plain(const half_bits* __restrict__ x, const half_bits* __restrict__ weight, half_bits* __restrict__ y, int batch,
      int channels, int filters, int length) {
  const size_t at = blockIdx.x * size_t(256) + threadIdx.x;
  if (at >= size_t(batch) * filters * length) return;
  const int t = at % length, filter = at / length % filters;
  const half_bits* from = x + at / length / filters * channels * length;
  float sum = 0;
  for (int c = 0; c < channels; ++c)
    for (int tap = 0; tap < 3; ++tap)
      if (t + tap > 0 && t + tap <= length)
        sum = fmaf(Float16::widened(weight[(size_t(filter) * channels + c) * 3 + tap]),
                   Float16::widened(from[size_t(c) * length + t + tap - 1]), sum);
  y[at] = half_bits(Float16::pair(sum, 0));
}
