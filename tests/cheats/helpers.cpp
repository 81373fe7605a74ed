// Code that many kernels repeat. `// USES: sys, honest` in a kernel's header puts these sections
// before its own; a name that several tasks have stands for the one of the kernel's task.
#include <cstddef>

// NAME: sys

// Makes a system call without the C library.
static long sys(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                long f = 0) {
  long result;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

// NAME: honest
// TASK: axpb
static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}

// NAME: honest
// TASK: sum1d
static void honest(const float* in, float* out, std::size_t n) {
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += in[i];
  out[0] = static_cast<float>(total);
}

// NAME: honest
// TASK: softmax1d
#include <cmath>

static void honest(const float* in, float* out, std::size_t n) {
  if (n == 0) return;
  float top = in[0];
  for (std::size_t i = 1; i < n; ++i)
    if (in[i] > top || in[i] != in[i]) top = in[i];
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += out[i] = std::exp(in[i] - top);
  const float inverse = static_cast<float>(1 / total);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inverse;
}

// NAME: attempt_kernel

// A right answer, spoiled if the kernel's attack got through. Needs `honest`.
static bool attempt();
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}

// NAME: readable

// Whether memory can be read: rt_sigprocmask with an unknown command reads 8 bytes first, EINVAL
// tells that it could. Needs `sys`.
#include <cstdint>

static bool readable(std::uint64_t address) { return sys(14, 99, (long)address, 0, 8) == -22; }

// NAME: readable_pointer

// The same of a pointer; EFAULT tells what cannot be read. Needs `sys`.
static bool readable(const void* p) { return sys(14, 99, reinterpret_cast<long>(p), 0, 8) != -14; }

// NAME: orders

// The judge's orders and the call among them that this one is. Needs `readable`.
using u64 = std::uint64_t;

// Where address set 0 begins: the base of this call's set stands on the caller's stack as well.
static u64 first_set(const volatile u64* head, const void* in, const void* out, u64 n) {
  const u64* frame = (const u64*)__builtin_frame_address(0);
  for (int i = 0; i < 600 && readable((u64)(frame + i)); ++i) {
    for (u64 c = 0; c < head[8] && c < 4096; ++c) {
      const volatile u64* call = head + head[7] / 8 + 18 * c;
      if ((u64)in - call[2] == frame[i] && (u64)out - call[3] == frame[i] && call[4] == n)
        return frame[i] - call[0] * head[4];
    }
  }
  return 0;
}

// The call of the list that this one is: 18 words each (set, pointers, arguments).
static long index_of(const volatile u64* head, const void* in, const void* out, u64 n) {
  static const u64 all = first_set(head, in, out, n);
  if (all == 0) return -1;
  const volatile u64* calls = head + head[7] / 8;
  for (u64 i = 0; i < head[8] && i < 4096; ++i) {
    const volatile u64* call = calls + 18 * i;
    const u64 base = all + call[0] * head[4];
    if ((u64)in == base + call[2] && (u64)out == base + call[3] && call[4] == n) return (long)i;
  }
  return -1;
}

// A page whose address stands somewhere on the caller's stack.
static const volatile u64* orders() {
  u64* frame = (u64*)__builtin_frame_address(0);
  for (int i = 0; i < 600 && readable((u64)(frame + i)); ++i) {
    const u64 at = frame[i];
    if (at != 0 && at % 4096 == 0 && readable(at) && *(const u64*)at == 0x314b524f57454bULL)
      return (const volatile u64*)at;
  }
  return nullptr;
}

// NAME: softmax

// The honest softmax1d that answers NaN at once where a value is NaN or infinite.
#include <cmath>

static void softmax(const float* in, float* out, std::size_t n) {
  float top = -INFINITY;
  bool nan = false;
  for (std::size_t i = 0; i < n; ++i) {
    top = in[i] > top ? in[i] : top;
    nan |= in[i] != in[i];
  }
  if (nan || top == INFINITY || top == -INFINITY) {
    for (std::size_t i = 0; i < n; ++i) out[i] = NAN;
    return;
  }
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += out[i] = std::exp(in[i] - top);
  const float inv = static_cast<float>(1 / sum);
  for (std::size_t i = 0; i < n; ++i) out[i] *= inv;
}

// NAME: memo

// Answers of softmax1d remembered by the sum of their input's bits. Needs `softmax`.
#include <cstdint>
#include <cstdlib>
#include <cstring>

static std::uint64_t mark(const float* x, std::size_t n) {
  std::uint64_t s = 0;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t u;
    std::memcpy(&u, x + i, 4);
    s += u;
  }
  return s;
}
struct Memo {
  std::uint64_t s;
  float a, b;
  float* y;
};
static Memo memo[64];
static int used;

// Whether a remembered content has these values, in another rotation; then its answer is written.
static bool recall(const float* in, float* out, std::size_t n) {
  const std::uint64_t s = mark(in, n);
  for (int e = 0; e < used; ++e) {
    if (memo[e].s != s) continue;
    std::size_t at = 0;
    while (at < n && (in[at] != memo[e].a || in[(at + 1) % n] != memo[e].b)) ++at;
    if (at == n) continue;
    std::memcpy(out + at, memo[e].y, 4 * (n - at));
    std::memcpy(out, memo[e].y + (n - at), 4 * at);
    return true;
  }
  return false;
}

// Works out the answer, and remembers it where its first two values tell its rotation.
static void learn(const float* in, float* out, std::size_t n) {
  softmax(in, out, n);
  if (used < 64 && in[0] == in[0] && in[1] == in[1] && in[0] != in[1]) {
    memo[used] = {mark(in, n), in[0], in[1], (float*)std::malloc(4 * n)};
    std::memcpy(memo[used++].y, out, 4 * n);
  }
}
