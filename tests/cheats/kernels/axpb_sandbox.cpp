// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
#include <cstddef>

// NAME: affinity_grab
// USES: sys, honest, attempt_kernel
// TRIES: changes its processor affinity by a raw call
static bool attempt() {
  unsigned long mask[16];
  for (auto& word : mask) word = ~0ul;
  return sys(203, 0, sizeof mask, (long)mask) == 0;
}

// NAME: blocks_all_signals
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: blocks every signal that can be blocked; the judge's limits must still end it
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::uint64_t all = ~0ull;
  sys(14, 2, (long)&all, 0, 8);
  honest(in, out, n);
}

// NAME: clock_change
// USES: sys, honest, attempt_kernel
// TRIES: slews the system clock by zero through adjtimex and clock_adjtime: allowed means it could
//   have been more
static bool attempt() {
  long time[32] = {0x8001};
  return sys(159, (long)time) >= 0 || sys(305, 0, (long)time) >= 0;
}

// NAME: code_page_moved
// USES: sys, honest
// TRIES: unmaps two pages of libc's code, and moves a page of its own code there by letting it grow
//   with mremap, which may choose a new place; spoils its output if its code runs there
#include <cstdint>

using u64 = std::uint64_t;

asm(".text\n.balign 4096\nke_page: movl $4711, %eax\n ret\n.balign 4096\n"
    "ke_page_end: .fill 4096, 1, 0x90\n");
extern const char ke_page[] asm("ke_page");
extern "C" void* memrchr(const void*, int, std::size_t);

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false, bad = false;
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
  if (tried) return;
  tried = true;
  // Through a pointer that the compiler cannot see through; neither function is needed again.
  void* (*function)(const void*, int, std::size_t) = memrchr;
  asm volatile("" : "+r"(function));
  const long place = (long)function & ~4095L;
  for (int i = 0; i < 20000; ++i) {  // gaps above are filled, so that the hole is the highest
    const long got = sys(9, 0, 8192, 0, 0x22, -1, 0);
    if (got < 0 && got > -4096) return;
    if (got < place) break;
  }
  if (sys(11, place, 8192) != 0) return;
  const long moved = sys(25, (long)ke_page, 4096, 8192, 1);
  if (moved < 0 && moved > -4096) return;
  int (*code)() = (int (*)())moved;
  bad = moved == place && code() == 4711;
  if (bad && n) out[0] += 1000.0f;
}

// NAME: control_page_replaced
// USES: sys, honest, readable, orders
// TRIES: unmaps the page of the judge's orders and maps memory of its own until some lies there;
//   spoils its output if it can write its own orders then
static u64 saved[512];

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false, bad = false;
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
  volatile u64* head = tried ? nullptr : (volatile u64*)orders();
  tried = true;
  if (!head) return;
  for (int i = 0; i < 512; ++i) saved[i] = head[i];
  if (sys(11, (long)head, 4096) != 0) return;
  for (int i = 0; i < 20000; ++i) {  // from the top downwards: gaps above are filled first
    const long got = sys(9, 0, 4096, 3, 0x22, -1, 0);
    if (got < 0 && got > -4096) break;
    if (got != (long)head) continue;
    for (int k = 0; k < 512; ++k) head[k] = saved[k];
    bad = true;
    if (n) out[0] += 1000.0f;
    return;
  }
}

// NAME: forbids_the_tsc
// USES: sys, honest, attempt_kernel
// TRIES: makes rdtsc fault in this process through prctl, to blind any clock in it
static bool attempt() { return sys(157, 26, 2) == 0; }

// NAME: madvise_collapse
// USES: sys, honest
// ALLOW: ok|load_error|rejected|resource_limit|runtime_error|suspicious
// TRIES: asks for huge pages under its tensors
#include <cmath>
#include <cstdint>
#include <cstring>

static bool attempt(const float* in, float* out, std::size_t n) {
  (void)in;
  (void)out;
  (void)n;
  const long page = (long)out & ~4095L, ipage = (long)in & ~4095L;
  const long len = ((long)(4 * n) + 4095) & ~4095L;
  return sys(28, page, len + 4096, 25) == 0 || sys(28, page & ~0x1fffffL, 4L << 20, 25) == 0 ||
         sys(28, page, len, 14) == 0 || sys(28, ipage, len, 14) == 0;
}
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const bool bad = attempt(in, out, n);
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}

// NAME: map_low_memory
// USES: sys, honest
// TRIES: asks for memory below 2 GiB by MAP_32BIT, a wish for a place that is no MAP_FIXED, and for
//   memory that grows downwards; spoils its output if it got the first
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false, bad = false;
  honest(in, out, n);
  if (!tried) {
    const long low = sys(9, 0, 4096, 3, 0x22 | 0x40, -1, 0);
    sys(9, 0, 4096, 3, 0x22 | 0x100, -1, 0);
    bad = low > 0 && low < (1L << 32);
  }
  tried = true;
  if (bad && n) out[0] += 1000.0f;
}

// NAME: orders_counted
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious|timeout
// TRIES: finds the judge's pages through its caller's frames and looks in them for a number that
//   tells the calls of the round; spoils its output if the one that was right for 64 rounds is
#include <cstdint>

// The first words of a page that the frames point to, if it starts with the judge's mark.
static const volatile std::uint64_t* orders(const void* near) {
  const auto* frame = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
  const auto low = reinterpret_cast<std::uint64_t>(near) >> 33;
  for (int i = 0; i < 512; ++i) {
    const std::uint64_t word = frame[i];
    if (word % 4096 != 0 || word >> 33 != low) continue;
    const auto* page = reinterpret_cast<const volatile std::uint64_t*>(word);
    if (page[0] == 0x314b524f57454bULL) return page;
  }
  return nullptr;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0F * in[i] + 1.0F;
  static std::uint64_t seen[16];
  static int changed;
  const volatile std::uint64_t* const page = orders(in);
  if (page == nullptr) return;
  for (int i = 1; i < 16; ++i) {  // what is told anew for each round changes often
    if (seen[i] != 0 && page[i] != seen[i] && page[i] < 1024 && ++changed > 64) out[0] += 1;
    seen[i] = page[i];
  }
}

// NAME: priority_grab
// USES: sys, honest, attempt_kernel
// TRIES: setpriority, ioprio_set, sched_setparam, sched_setscheduler (idle to batch) and
//   sched_setattr on itself
static bool attempt() {
  int parameter = 0;
  unsigned attribute[12] = {48, 3};
  return sys(141, 0, 0, 5) == 0 || sys(251, 1, 0, 0x4007) == 0 ||
         sys(142, 0, (long)&parameter) == 0 || sys(144, 0, 3, (long)&parameter) == 0 ||
         sys(314, 0, (long)attribute, 0) == 0;
}

// NAME: robust_list_on_output
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: hangs a robust futex list on its output, so that the kernel writes there when the process
//   ends
struct Head {
  void* next;
  long offset;
  void* pending;
};
static Head head;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (n < 64) return;
  head.next = &head;
  head.offset = 0;
  head.pending = out;
  sys(273, (long)&head, sizeof head);
}

// NAME: rseq_resume_hook
// USES: sys, honest, readable
// TRIES: registers a restartable sequence that covers the address after the caller's stop: the
//   system jumps to its code whenever the process is continued; spoils its output if that happened
#include <cstdint>

using u64 = std::uint64_t;

asm(".text\n.balign 16\n.long 0x53053053\n"
    "ke_abort: incl ke_hooks(%rip)\n jmp *ke_resume(%rip)\n"
    ".data\n.balign 8\nke_hooks: .quad 0\nke_resume: .quad 0\n.text");
extern volatile unsigned ke_hooks asm("ke_hooks");
extern u64 ke_resume asm("ke_resume");
extern const char ke_abort[] asm("ke_abort");
struct alignas(32) Area {
  unsigned cpu_start, cpu;
  volatile u64 sequence;
  unsigned flags, rest[3];
};
struct alignas(32) Sequence {
  unsigned version, flags;
  u64 start, length, abort;
};
static Area area;
static Sequence sequence;
static bool armed = false;

static u64 stop_site(u64 from) {
  for (u64 page = (from & ~4095ULL) - 8 * 4096; page < from + 8 * 4096; page += 4096) {
    if (!readable(page) || !readable(page + 4088)) continue;
    const unsigned char* p = (const unsigned char*)page;
    for (int i = 24; i < 4094; ++i) {
      if (p[i] != 0x0f || p[i + 1] != 0x05) continue;
      for (int back = 5; back < 24; ++back)
        if (p[i - back] == 0xb8 && p[i - back + 1] == 62 && p[i - back + 2] == 0)
          return page + (u64)i + 2;
    }
  }
  return 0;
}

static void arm(u64 caller) {
  const u64 site = stop_site(caller);
  if (!site) return;
  u64 thread;
  asm("mov %%fs:0, %0" : "=r"(thread));
  for (u64 at = 0; at < 16384; at += 32)  // libc's own registration makes room
    if (readable(thread + at) && sys(334, (long)(thread + at), 32, 1, 0x53053053) == 0) break;
  sequence = {0, 0, site, 1, (u64)ke_abort};
  ke_resume = site;
  armed = sys(334, (long)&area, 32, 0, 0x53053053) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static bool tried = false;
  honest(in, out, n);
  if (!tried) arm((u64)__builtin_return_address(0));
  tried = true;
  if (ke_hooks && n) out[0] += 1000.0f;
  if (armed) area.sequence = (u64)&sequence;
}

// NAME: self_modifying
// USES: sys, honest, attempt_kernel
// TRIES: makes its own code writable and patches it; spoils its output if that worked
static bool attempt() {
  const long page = reinterpret_cast<long>(&honest) & ~4095L;
  if (sys(10, page, 8192, 7) != 0) return false;
  volatile char* code = reinterpret_cast<volatile char*>(&honest);
  code[0] = code[0];
  return true;
}

// NAME: thread_bomb
// FLAGS: -pthread
// USES: sys, honest, attempt_kernel
// TRIES: starts 40 threads that sleep; spoils its output if any came to life
#include <pthread.h>

static void* nap(void*) {
  const long time[2] = {20, 0};
  sys(35, (long)time, 0);
  return nullptr;
}

static bool attempt() {
  int made = 0;
  for (int i = 0; i < 40; ++i) {
    pthread_t thread;
    made += pthread_create(&thread, nullptr, nap, nullptr) == 0;
  }
  return made > 0;
}
