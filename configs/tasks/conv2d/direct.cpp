// Direct 3 x 3 convolution. The image is copied with its border of zeros, so that every tap of an output vector is
// one unaligned load; a register tile holds FILTERS x (NV * WIDTH) outputs.
// @task conv2d
// @knob WIDTH int {8, 16} = 8                         floats in a vector
// @knob NV int {1, 2, 3, 4} = 2                       vectors of one row in the register tile
// @knob FILTERS int {1, 2, 4, 6, 8, 12, 14} = 4       filters in the register tile
// @knob CHANNELS int {4, 16, 64, 4096} = 4096         channels added up in registers before y is touched
// @knob SPACE enum {rows, flat} = rows                rows: tiles end with the row; flat: they run over the padded image
// @knob ORDER enum {filters_outer, space_outer} = filters_outer  which tiles follow each other
// @knob PACK bool = false                             copy the weights so that a tile's lie side by side
// @knob TAPS enum {columns, rows_and_columns} = columns  loops over the taps that are unrolled
// @knob SPLIT bool = false                            lanes of two output rows: store them from a copy in memory
// @knob PREFETCH bool = false                         fetch the same place of the next channel
// @require FILTERS * NV + NV + 1 <= 32
// @require FILTERS * NV >= 2
// @flags -O3 -march=native; -mprefer-vector-width={256,512}; -funroll-loops?; -fno-tree-slp-vectorize?
#include <cstddef>
#include <cstdlib>

#include "vector_math.hpp"

namespace {

using Vec = vm::f32<WIDTH>;
constexpr int nv = NV, fr = FILTERS, tap_rows = TAPS == TAPS_rows_and_columns ? 3 : 1;
constexpr std::size_t tile = NV * WIDTH;

/// Memory that grows and stays with its thread.
struct Scratch {
  float* data = nullptr;
  std::size_t size = 0;
  float* at_least(std::size_t floats) {
    if (floats > size) {
      std::free(data);
      size = (floats + 15) / 16 * 16;
      data = static_cast<float*>(std::aligned_alloc(64, size * sizeof(float)));
    }
    return data;
  }
};
thread_local Scratch padded_image, packed_weight;

std::size_t least(std::size_t a, std::size_t b) { return a < b ? a : b; }

struct Shape {
  std::size_t channels, filters, height, width;
  std::size_t pitch() const { return width + 2; }
  std::size_t plane() const { return (height + 2) * pitch(); }
};

/// A border of zeros round every channel, and zeros behind the last: tiles read past the end.
const float* pad(const float* x, const Shape& s) {
  float* const base = padded_image.at_least(s.channels * s.plane() + 2 * s.pitch() + tile + 16);
  float* to = base;
  for (std::size_t c = 0; c < s.channels; ++c) {
    for (std::size_t w = 0; w < s.pitch(); ++w) *to++ = 0.0f;
    for (std::size_t h = 0; h < s.height; ++h) {
      *to++ = 0.0f;
      for (std::size_t w = 0; w < s.width; ++w) to[w] = x[w];
      to += s.width;
      x += s.width;
      *to++ = 0.0f;
    }
    for (std::size_t w = 0; w < s.pitch(); ++w) *to++ = 0.0f;
  }
  for (std::size_t t = 0; t < 2 * s.pitch() + tile + 16; ++t) *to++ = 0.0f;
  return base;
}

/// [filter tile][channel][tap][filter of the tile]; missing filters repeat the last one and are never stored.
const float* pack(const float* weight, const Shape& s) {
  const std::size_t tiles = (s.filters + fr - 1) / fr, taps = s.channels * 9;
  float* const base = packed_weight.at_least(tiles * taps * fr);
  for (std::size_t f = 0; f < tiles * fr; ++f) {
    const float* from = weight + least(f, s.filters - 1) * taps;
    float* to = base + f / fr * taps * fr + f % fr;
    for (std::size_t t = 0; t < taps; ++t) to[t * fr] = from[t];
  }
  return base;
}

/// Lanes of `v` from column w of row h on; those outside the image are dropped.
VM_INLINE void store_lanes(float* y, const Shape& s, std::size_t h, std::size_t w, Vec v, bool add) {
  float lane[WIDTH];
  vm::store<WIDTH>(lane, v);
  for (std::size_t t = 0; t < WIDTH && h < s.height; ++t, ++w) {
    if (w == s.pitch()) {
      w = 0;
      if (++h == s.height) return;
    }
    if (w >= s.width) {
      if (SPACE == SPACE_rows) return;  // the next row is another tile's
      continue;
    }
    float* to = y + h * s.width + w;
    *to = add ? *to + lane[t] : lane[t];
  }
}

/// Where lanes straddle two rows: the end of one and the start of the next, each contiguous.
VM_INLINE void store_split(float* y, const Shape& s, std::size_t h, std::size_t w, Vec v, bool add) {
  float lane[WIDTH];
  vm::store<WIDTH>(lane, v);
  std::size_t t = 0;
  while (t < WIDTH && h < s.height) {
    const std::size_t count = w < s.width ? least(WIDTH - t, s.width - w) : 0;
    float* to = y + h * s.width + w;
    for (std::size_t i = 0; i < count; ++i) to[i] = add ? to[i] + lane[t + i] : lane[t + i];
    if (SPACE == SPACE_rows) return;
    t += s.pitch() - w;
    w = 0;
    ++h;
  }
}

VM_INLINE void store(float* y, const Shape& s, std::size_t h, std::size_t w, Vec v, bool add) {
  if (h < s.height && w + WIDTH <= s.width) {
    float* to = y + h * s.width + w;
    vm::store<WIDTH>(to, add ? vm::load<WIDTH>(to) + v : v);
  } else if (SPACE == SPACE_rows && w >= s.width) {
    return;  // all of it behind the row: the next row is another tile's
  } else if (SPLIT) {
    store_split(y, s, h, w, v, add);
  } else {
    store_lanes(y, s, h, w, v, add);
  }
}

struct Block {
  const float* image;   // padded, at the first channel of the block
  const float* weight;  // of the filter tile, at the first channel of the block
  std::size_t channels;
  bool add;
  std::size_t filters;  // of the tile that exist
};

/// One register tile at row h, column w (of the padded row in flat space).
__attribute__((noinline)) void register_tile(const Block& b, const Shape& s, float* y, std::size_t h, std::size_t w) {
  Vec sum[fr][nv];
#pragma GCC unroll 16
  for (int f = 0; f < fr; ++f)
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) sum[f][j] = vm::splat<WIDTH>(0.0f);
  const std::size_t pitch = s.pitch(), plane = s.plane();
  const std::size_t filter_step = PACK ? 1 : s.channels * 9, tap_step = PACK ? fr : 1;
  // A missing filter reads the weights of the last one that exists.
  const float* filter[fr];
#pragma GCC unroll 16
  for (int f = 0; f < fr; ++f) filter[f] = b.weight + (PACK ? std::size_t(f) : least(f, b.filters - 1)) * filter_step;
  const float* image = b.image + h * pitch + w;
  std::size_t at = 0;
  for (std::size_t c = 0; c < b.channels; ++c, image += plane) {
    if (PREFETCH) __builtin_prefetch(image + plane);
#pragma GCC unroll tap_rows
    for (int p = 0; p < 3; ++p) {
#pragma GCC unroll 3
      for (int q = 0; q < 3; ++q) {
        Vec x[nv];
#pragma GCC unroll 4
        for (int j = 0; j < nv; ++j) x[j] = vm::load<WIDTH>(image + p * pitch + q + j * WIDTH);
#pragma GCC unroll 16
        for (int f = 0; f < fr; ++f) {
          const float factor = PACK ? b.weight[at + f] : filter[f][at];
#pragma GCC unroll 4
          for (int j = 0; j < nv; ++j) sum[f][j] += factor * x[j];
        }
        at += tap_step;
      }
    }
  }
#pragma GCC unroll 16
  for (int f = 0; f < fr; ++f) {
    if (static_cast<std::size_t>(f) >= b.filters) break;
    std::size_t row = h, column = w;
#pragma GCC unroll 4
    for (int j = 0; j < nv; ++j) {
      store(y + f * s.height * s.width, s, row, column, sum[f][j], b.add);
      column += WIDTH;
      while (SPACE == SPACE_flat && column >= pitch) {
        column -= pitch;
        ++row;
      }
    }
  }
}

template <class Body>
VM_INLINE void over_space(const Shape& s, Body body) {
  if (SPACE == SPACE_rows) {
    for (std::size_t h = 0; h < s.height; ++h)
      for (std::size_t w = 0; w < s.width; w += tile) body(h, w);
  } else {
    std::size_t h = 0, w = 0;
    while (h < s.height) {
      body(h, w);
      for (w += tile; w >= s.pitch(); w -= s.pitch()) ++h;
    }
  }
}

void convolve(const float* image, const float* weight, float* y, const Shape& s) {
  const std::size_t taps = s.channels * 9;
  for (std::size_t c = 0; c < s.channels; c += CHANNELS) {
    const auto run = [&](std::size_t f, std::size_t h, std::size_t w) {
      const Block b = {image + c * s.plane(), weight + f * taps + c * 9 * (PACK ? fr : 1), least(CHANNELS, s.channels - c),
                       c > 0, least(fr, s.filters - f)};
      register_tile(b, s, y + f * s.height * s.width, h, w);
    };
    if (ORDER == ORDER_filters_outer) {
      for (std::size_t f = 0; f < s.filters; f += fr)
        over_space(s, [&](std::size_t h, std::size_t w) { run(f, h, w); });
    } else {
      over_space(s, [&](std::size_t h, std::size_t w) {
        for (std::size_t f = 0; f < s.filters; f += fr) run(f, h, w);
      });
    }
  }
}

}  // namespace

extern "C" void kernel(const float* x, const float* weight, float* y, std::size_t images, std::size_t channels,
                       std::size_t filters, std::size_t height, std::size_t width) {
  const Shape s = {channels, filters, height, width};
  if (PACK) weight = pack(weight, s);
  for (std::size_t i = 0; i < images; ++i)
    convolve(pad(x + i * channels * height * width, s), weight, y + i * filters * height * width, s);
}
