// Written by a language model, its knobs tuned by a search: candidate 42.0.0 of configs/recordings/languages/cuda.embedding_bag.kev.gz.
// Sums of table rows: column slices outermost, each bag's indices binned by row so that all bags sweep the table together.
// @task embedding_bag
// @knob SLICE int {16, 32, 64} = 64        columns a slice (a group of SLICE / 4 lanes a bag)
// @knob UNROLL int {4, 8, 16} = 8          rows asked for before the first is added
// @knob THREADS int {64, 128, 256} = 256   threads a block
// @knob BINS int {1, 2, 4} = 4             parts of the table that a bag visits in order
// @flags -std=c++17; --use_fast_math?
// @launch slices4 grid=(ceil_div(bags, THREADS/(SLICE/4))*ceil_div(dim, SLICE)) block=(THREADS) when=dim%4==0
// @+ args=(table, indices, out, int32(dim/4), int64(bags), int64(bag), int64(vocab), int32(ceil_div(bags, THREADS/(SLICE/4))))
// @launch slices2 grid=(ceil_div(bags, THREADS/16)*ceil_div(dim, 32)) block=(THREADS) when=dim%4==2
// @+ args=(table, indices, out, int32(dim/2), int64(bags), int64(bag), int64(vocab), int32(ceil_div(bags, THREADS/16)))
// @launch wide1 grid=(ceil_div(bags, THREADS/32)*ceil_div(dim, 32)) block=(THREADS) when=dim%2==1&&dim>8
// @+ args=(table, indices, out, int32(dim), int64(bags), int64(bag), int64(vocab), int32(ceil_div(bags, THREADS/32)))
// @launch narrow1 grid=(ceil_div(bags, THREADS/4)*ceil_div(dim, 4)) block=(THREADS) when=dim%2==1&&dim<=8
// @+ args=(table, indices, out, int32(dim), int64(bags), int64(bag), int64(vocab), int32(ceil_div(bags, THREADS/4)))

#define CHUNK 64            // indices of a bag that are binned at a time
#define STRIDE (CHUNK + 4)  // a group's part of shared memory

__device__ __forceinline__ void add(float4& a, const float4& b) { a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w; }
__device__ __forceinline__ void add(float2& a, const float2& b) { a.x += b.x, a.y += b.y; }
__device__ __forceinline__ void add(float& a, const float& b) { a += b; }
__device__ __forceinline__ void clear(float4& a) { a = make_float4(0.f, 0.f, 0.f, 0.f); }
__device__ __forceinline__ void clear(float2& a) { a = make_float2(0.f, 0.f); }
__device__ __forceinline__ void clear(float& a) { a = 0.f; }

template <class T, int L>
__device__ __forceinline__ void body(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out,
                                     int per, long long bags, long long bag, long long vocab, int blocks) {
  constexpr int K = CHUNK / L;
  __shared__ __align__(16) int kept[(THREADS / L) * STRIDE];
  const int slice = blockIdx.x / blocks, block = blockIdx.x - slice * blocks;
  const int g = threadIdx.x % L;
  int* const rows = kept + threadIdx.x / L * STRIDE;
  const long long i = (long long)block * (THREADS / L) + threadIdx.x / L;
  const int d = slice * L + g;
  const bool live = i < bags, on = live && d < per;
  const int* p = indices + (live ? i : 0) * bag;
  const T* column = reinterpret_cast<const T*>(table) + (on ? d : 0);
  const float scale = __fdividef((float)BINS, (float)vocab);

  T sum;
  clear(sum);
#pragma unroll 1
  for (long long j0 = 0; j0 < bag; j0 += CHUNK, p += CHUNK) {
    const int count = bag - j0 < CHUNK ? (int)(bag - j0) : CHUNK;
    {
      int mine[K];
#pragma unroll
      for (int k = 0; k < K; ++k) mine[k] = g + L * k < count ? __ldg(p + g + L * k) : -1;
      if (BINS == 1) {
#pragma unroll
        for (int k = 0; k < K; ++k)
          if (mine[k] >= 0) rows[g + L * k] = mine[k];
      } else {
        // A byte of `own` counts a bin.
        unsigned own = 0;
#pragma unroll
        for (int k = 0; k < K; ++k) {
          const int bin = min((int)((float)mine[k] * scale), BINS - 1);
          if (mine[k] >= 0) own += 1u << (8 * bin);
        }
        unsigned upto = own;
#pragma unroll
        for (int step = 1; step < L; step *= 2) {
          const unsigned other = __shfl_up_sync(0xffffffffu, upto, step, L);
          if (g >= step) upto += other;
        }
        const unsigned all = __shfl_sync(0xffffffffu, upto, L - 1, L);
        unsigned next = upto - own + (all << 8) + (all << 16) + (all << 24);
#pragma unroll
        for (int k = 0; k < K; ++k) {
          if (mine[k] >= 0) {
            const int shift = 8 * min((int)((float)mine[k] * scale), BINS - 1);
            rows[(next >> shift) & 255u] = mine[k];
            next += 1u << shift;
          }
        }
      }
    }
    __syncwarp();
    if (on) {
      int j = 0;
#pragma unroll 1
      for (; j + UNROLL <= count; j += UNROLL) {
        T v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u += 4) {
          const int4 r = *reinterpret_cast<const int4*>(rows + j + u);
          v[u] = __ldg(column + (size_t)r.x * per);
          v[u + 1] = __ldg(column + (size_t)r.y * per);
          v[u + 2] = __ldg(column + (size_t)r.z * per);
          v[u + 3] = __ldg(column + (size_t)r.w * per);
        }
#pragma unroll
        for (int step = UNROLL / 2; step > 0; step /= 2)
#pragma unroll
          for (int u = 0; u < step; ++u) add(v[u], v[u + step]);
        add(sum, v[0]);
      }
      if (j < count) {
        T v[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; ++u) {
          clear(v[u]);
          if (j + u < count) v[u] = __ldg(column + (size_t)rows[j + u] * per);
        }
#pragma unroll
        for (int step = UNROLL / 2; step > 0; step /= 2)
#pragma unroll
          for (int u = 0; u < step; ++u) add(v[u], v[u + step]);
        add(sum, v[0]);
      }
    }
    __syncwarp();
  }
  if (on) __stcs(reinterpret_cast<T*>(out) + (size_t)i * per + d, sum);
}

extern "C" __global__ void __launch_bounds__(THREADS)
slices4(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out, int per, long long bags,
        long long bag, long long vocab, int blocks) {
  body<float4, SLICE / 4>(table, indices, out, per, bags, bag, vocab, blocks);
}
extern "C" __global__ void __launch_bounds__(THREADS)
slices2(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out, int per, long long bags,
        long long bag, long long vocab, int blocks) {
  body<float2, 16>(table, indices, out, per, bags, bag, vocab, blocks);
}
extern "C" __global__ void __launch_bounds__(THREADS)
wide1(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out, int per, long long bags,
      long long bag, long long vocab, int blocks) {
  body<float, 32>(table, indices, out, per, bags, bag, vocab, blocks);
}
extern "C" __global__ void __launch_bounds__(THREADS)
narrow1(const float* __restrict__ table, const int* __restrict__ indices, float* __restrict__ out, int per, long long bags,
        long long bag, long long vocab, int blocks) {
  body<float, 4>(table, indices, out, per, bags, bag, vocab, blocks);
}
