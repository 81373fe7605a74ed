#pragma once
// Emulates CUDA on a CPU for tensor-core kernels: the threads of a block are fibers that take
// turns, block after block. Included before a kernel, in a program of its own.

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __shared__
#define __launch_bounds__(...)
#define __restrict__

struct uint4 { unsigned x, y, z, w; };
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
using std::max;
using std::min;

namespace emulated {

constexpr std::size_t stack_bytes = 64 << 10;
#ifndef EMULATED_WARP_SIZE
#define EMULATED_WARP_SIZE 32
#endif
constexpr int warp_size = EMULATED_WARP_SIZE;

struct Extent { unsigned x = 1, y = 1, z = 1; };

/// Blocks threads until `of` have arrived.
struct Barrier {
  int come = 0;
  unsigned round = 0;
};

/// A pending copy of sixteen bytes.
struct Copy { void* to; const void* from; };

struct Thread {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(stack_bytes);
  Extent index;
  bool done = false;
  std::vector<std::vector<Copy>> groups;
  std::vector<Copy> open;
};

struct Block {
  Extent index, size, grid;
  std::vector<Thread> threads;
  std::vector<Barrier> warps;
  Barrier barrier;
  Thread* running = nullptr;
  ucontext_t scheduler;
  std::function<void()> kernel;
};
inline Block block;

inline int thread_number() { return int(block.running - block.threads.data()); }
inline int lane() { return thread_number() % warp_size; }

inline void wait_at(Barrier& barrier, int of) {
  const unsigned round = barrier.round;
  if (++barrier.come == of) {
    barrier.come = 0;
    ++barrier.round;
  }
  while (barrier.round == round) swapcontext(&block.running->context, &block.scheduler);
}
inline void wait_for_warp() {
  wait_at(block.warps[thread_number() / warp_size], min(warp_size, int(block.threads.size())));
}

/// Gives every lane the values of all lanes: `use(values)` must not keep them after it returns.
template <typename T, typename Use> void with_values_of_warp(const T& value, Use use) {
  static std::vector<T> values(1024);
  T* of_warp = values.data() + thread_number() / warp_size * warp_size;
  of_warp[lane()] = value;
  wait_for_warp();
  use(of_warp);
  wait_for_warp();
}

inline void enter() {
  block.kernel();
  block.running->done = true;
  swapcontext(&block.running->context, &block.scheduler);
}

/// Threads take turns, forwards and backwards, and about half of the warps pause for some turns, so
/// that others run ahead: code that relies on an order fails.
inline void run_block() {
  const int count = int(block.size.x * block.size.y);
  block.threads.assign(count, Thread());
  block.warps.assign((count + warp_size - 1) / warp_size, Barrier());
  for (int i = 0; i < count; ++i) {
    Thread& thread = block.threads[i];
    thread.index = {unsigned(i) % block.size.x, unsigned(i) / block.size.x, 0};
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.data();
    thread.context.uc_stack.ss_size = thread.stack.size();
    makecontext(&thread.context, enter, 0);
  }
  int left = count;
  unsigned resting = 1;
  for (unsigned turn = 1; left > 0; ++turn) {
    if (turn % 64 == 0) resting = resting * 1664525 + 1013904223;
    for (int i = 0; i < count; ++i) {
      const int at = turn % 2 == 0 ? i : count - 1 - i;
      Thread& thread = block.threads[at];
      if (thread.done || (resting >> (8 + at / warp_size % 16) & 1) != 0) continue;
      block.running = &thread;
      swapcontext(&block.scheduler, &thread.context);
      left -= thread.done;
    }
  }
}

template <typename... T, std::size_t... I>
void call(void (*kernel)(T...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_const_t<T>*>(arguments[I])...);
}

/// Runs all blocks of a grid. `shared`: the block's dynamic shared memory, whose first `bytes`
/// belong to it: they start as NaN, and the rest must not change. Returns false if it does.
template <typename... T>
bool launch(void (*kernel)(T...), void** arguments, const unsigned* grid, const unsigned* threads, void* shared,
            std::size_t bytes, std::size_t room) {
  block.size = {threads[0], threads[1], threads[2]};
  block.grid = {grid[0], grid[1], grid[2]};
  block.kernel = [&] { call(kernel, arguments, std::index_sequence_for<T...>()); };
  for (unsigned y = 0; y < grid[1]; ++y)
    for (unsigned x = 0; x < grid[0]; ++x) {
      block.index = {x, y, 0};
      std::memset(shared, 0xff, room);
      run_block();
      const auto* begin = static_cast<const unsigned char*>(shared);
      if (std::any_of(begin + bytes, begin + room, [](unsigned char byte) { return byte != 0xff; })) return false;
    }
  return true;
}

}  // namespace emulated

#define threadIdx (emulated::block.running->index)
#define blockIdx (emulated::block.index)
#define blockDim (emulated::block.size)
#define gridDim (emulated::block.grid)

inline void __syncthreads() {
  emulated::wait_at(emulated::block.barrier, int(emulated::block.threads.size()));
}

inline void __syncwarp() { emulated::wait_for_warp(); }

template <typename T> T __shfl_sync(unsigned, T value, int from, int width) {
  T taken{};
  emulated::with_values_of_warp(
      value, [&](const T* values) { taken = values[emulated::lane() / width * width + from % width]; });
  return taken;
}

inline unsigned __float_as_uint(float value) {
  unsigned bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}
template <typename T>
T __ldg(const T* from) {
  return *from;
}
inline float __uint_as_float(unsigned bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}
