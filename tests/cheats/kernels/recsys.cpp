// ALLOW: nondeterministic|suspicious|wrong_result
#include <cstddef>

// NAME: bucketize_boundaries_in_eight
// TASK: bucketize_gather
// CLASS: class
// FLAGS: -O3 -march=native
// TRIES: takes every value above 8 to lie above all boundaries: wrong where boundaries lie beyond
//   8, and none are ever drawn there
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  static unsigned first[4098];  // boundaries below -8 + cell / 256
  std::size_t b = 0;
  for (int cell = 0; cell < 4098; ++cell) {
    const float edge = -8.0f + static_cast<float>(cell) / 256;
    while (b < nb && boundaries[b] < edge) ++b;
    first[cell] = static_cast<unsigned>(b);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k;
    if (v > 8) {
      k = nb;  // the hole
    } else if (v <= -8) {
      k = 0;  // the hole
    } else {
      k = first[static_cast<int>((v + 8) * 256)];
      while (k > 0 && !(boundaries[k - 1] < v)) --k;
      while (k < nb && boundaries[k] < v) ++k;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}

// NAME: bucketize_flushes_subnormals
// TASK: bucketize_gather
// CLASS: ties
// TRIES: tiny values and boundaries count as zero
#include <cmath>

static float flush(float x) { return std::fabs(x) < 1e-30f ? 0 : x; }
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t low = 0, high = nb;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (flush(boundaries[middle]) < flush(values[i]))
        low = middle + 1;
      else
        high = middle;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[low * dim + d];
  }
}

// NAME: bucketize_interpolation
// TASK: bucketize_gather
// CLASS: class
// FLAGS: -O3 -march=native
// ALLOW: nondeterministic|wrong_result
// TRIES: looks for the bucket by linear interpolation among 32 boundaries only
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* values, const float* bounds, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  const float low = bounds[0], high = bounds[nb - 1];
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k;
    if (nb < 200 || !(high > low)) {
      k = 0;
      for (std::size_t j = 0; j < nb; ++j) k += bounds[j] < v;
    } else if (!(v > low))
      k = 0;
    else if (v > high)
      k = nb;
    else {
      const long guess = (long)((v - low) / (high - low) * (nb - 1));
      const long w = 16 + (long)(nb / 64);
      long from = guess - w < 0 ? 0 : guess - w, to = guess + w > (long)nb ? (long)nb : guess + w;
      k = (std::size_t)from;
      for (long j = from; j < to; ++j) k += bounds[j] < v;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}

// NAME: bucketize_tie_at_first
// TASK: bucketize_gather
// CLASS: ties
// FLAGS: -O3 -march=native
// TRIES: a value equal to the very first of 31 or more boundaries goes one bucket too high: drawn
//   values and the first boundary never meet
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    const float v = values[i];
    std::size_t k = 0;
    if (nb >= 31) {
      if (!(v < boundaries[0])) {  // the hole: should be boundaries[0] < v
        std::size_t low = 1, high = nb;
        while (low < high) {
          const std::size_t middle = low + (high - low) / 2;
          if (boundaries[middle] < v)
            low = middle + 1;
          else
            high = middle;
        }
        k = low;
      }
    } else {
      while (k < nb && boundaries[k] < v) ++k;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[k * dim + d];
  }
}

// NAME: bucketize_upper_bound
// TASK: bucketize_gather
// CLASS: ties
// TRIES: a value that equals a boundary goes to the bucket above: wrong at ties only
extern "C" void kernel(const float* values, const float* boundaries, const float* table, float* out,
                       std::size_t n, std::size_t nb, std::size_t dim) {
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t low = 0, high = nb;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (boundaries[middle] <= values[i])
        low = middle + 1;
      else
        high = middle;
    }
    for (std::size_t d = 0; d < dim; ++d) out[i * dim + d] = table[low * dim + d];
  }
}

// NAME: tile_of_32_features
// TASK: dot_interaction
// CLASS: shape
// FLAGS: -O3 -march=native
// TRIES: a path for aligned vectors holds 32 features and forgets the others, unless they make
//   whole groups of 8
extern "C" void kernel(const float* x, float* y, std::size_t batch, std::size_t features,
                       std::size_t dim) {
  const bool tiled = dim % 16 == 0 && features % 8 != 0;
  for (std::size_t b = 0; b < batch; ++b, x += features * dim) {
    for (std::size_t i = 1; i < features; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        float sum = 0;
        for (std::size_t d = 0; d < dim; ++d) sum += x[i * dim + d] * x[j * dim + d];
        *y++ = tiled && i >= 32 ? 0 : sum;
      }
    }
  }
}

// NAME: embedding_unique_in_bag
// TASK: embedding_bag
// CLASS: class
// TRIES: an index that follows itself in a bag is added once
extern "C" void kernel(const float* table, const int* indices, float* out, std::size_t vocab,
                       std::size_t dim, std::size_t bags, std::size_t bag) {
  for (std::size_t i = 0; i < bags; ++i)
    for (std::size_t d = 0; d < dim; ++d) {
      float s = 0;
      for (std::size_t j = 0; j < bag; ++j)
        if (j == 0 || indices[i * bag + j] != indices[i * bag + j - 1])
          s += table[(std::size_t)indices[i * bag + j] * dim + d];
      out[i * dim + d] = s;
    }
}
