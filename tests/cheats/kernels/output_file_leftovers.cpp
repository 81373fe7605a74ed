// NAME: output_file_leftovers
// TASK: axpb
// CLASS: timed
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: in its first call, looks into slots that the round does not use for what another process
//   or candidate wrote there; spoils its output if anything but zeros is left
#include <cstddef>
#include <cstdint>

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
static void honest(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0f * in[i] + 1.0f;
}
using u64 = std::uint64_t;
// rt_sigprocmask with an unknown command reads 8 bytes first: EFAULT tells what cannot be read.
static bool readable(u64 address) { return sys(14, 99, (long)address, 0, 8) == -22; }
// The judge's orders: a page whose address stands somewhere on the caller's stack.
static const volatile u64* orders() {
  u64* frame = (u64*)__builtin_frame_address(0);
  for (int i = 0; i < 600 && readable((u64)(frame + i)); ++i) {
    const u64 at = frame[i];
    if (at != 0 && at % 4096 == 0 && readable(at) && *(const u64*)at == 0x314b524f57454bULL)
      return (const volatile u64*)at;
  }
  return nullptr;
}
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
static bool first = true, found = false;

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const volatile u64* head = first ? orders() : nullptr;
  const long index = head ? index_of(head, in, out, n) : -1;
  if (index >= 0) {
    first = false;
    const volatile u64* calls = head + head[7] / 8;
    const u64 base = (u64)in - calls[18 * index + 2];
    const volatile u64* piece = head + head[6] / 8;
    for (u64 i = 0; i < head[5]; ++i, piece += 4) {
      bool skip = !piece[0] || piece[2] < 3 * 4096;
      for (u64 c = 0; c < head[8]; ++c)
        skip = skip || (calls[18 * c + 3] >= piece[3] && calls[18 * c + 3] < piece[3] + piece[2]);
      if (skip) continue;
      for (u64 at = 4096; at + 8192 <= piece[2]; at += 4096)
        found = found || *(volatile u64*)(base + piece[3] + at) != 0;
    }
  }
  if (found && n) out[0] += 1000.0f;
}
