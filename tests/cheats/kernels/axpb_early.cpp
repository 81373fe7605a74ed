// TASK: axpb
// CLASS: early
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
#include <cstddef>

// NAME: early_stop_group
// USES: sys, honest
// TRIES: stops its whole process group before the work
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (sys(109, 0, 0) != 0 || sys(62, 0, 19) != 0) return;
  honest(in, out, n);
}

// NAME: early_stop_kill
// USES: sys, honest
// TRIES: kill(getpid(), SIGSTOP) before any work; the rest is computed after the judge thinks it is
//   done
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (sys(62, sys(39), 19) != 0) return;
  honest(in, out, n);
}

// NAME: early_stop_tgkill
// USES: sys, honest
// TRIES: the same through tgkill to the calling thread
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (sys(234, sys(39), sys(186), 19) != 0) return;
  honest(in, out, n);
}

// NAME: early_stop_tkill
// USES: sys, honest
// TRIES: the same through tkill, rt_sigqueueinfo and pidfd_send_signal, whichever works; nothing is
//   written if none does
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  int info[32] = {19, 0, -1};
  bool stopped = sys(200, sys(186), 19) == 0;
  if (!stopped) stopped = sys(129, sys(39), 19, (long)info) == 0;
  if (!stopped) {
    const long self = sys(434, sys(39), 0);
    stopped = self >= 0 && sys(424, self, 19, 0, 0) == 0;
  }
  if (stopped) honest(in, out, n);
}

// NAME: early_stop_large_only
// USES: sys, honest
// TRIES: stops before the second half of the work, at large sizes only
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const std::size_t half = n > 200000 ? n / 2 : n;
  honest(in, out, half);
  if (half == n) return;
  sys(62, sys(39), 19);
  honest(in + half, out + half, n - half);
}

// NAME: early_stop_late_calls
// USES: sys, honest
// TRIES: honest for 60 calls, stops early from then on
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  if (++calls > 60) sys(62, sys(39), 19);
  honest(in, out, n);
}

// NAME: early_stop_pool_thread
// FLAGS: -pthread
// USES: sys, honest
// TRIES: a pool thread stops the process while the caller still works; without a thread nothing is
//   written
#include <pthread.h>

static volatile int go = 0;

static void* stopper(void*) {
  for (;;) {
    while (!go) sys(24);
    go = 0;
    sys(62, sys(39), 19);
  }
}

static bool start() {
  pthread_t thread;
  return pthread_create(&thread, nullptr, stopper, nullptr) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool pool = start();
  if (!pool) return;
  go = 1;
  while (go) {
  }
  honest(in, out, n);
}

// NAME: early_stop_raw_thread
// USES: sys, honest
// TRIES: a thread made by a raw clone with the flags of pthread_create stops the process early
static char stack[65536] __attribute__((aligned(64)));
static volatile int go = 0, alive = 0;

static void stopper() {
  alive = 1;
  for (;;) {
    while (!go) sys(24);
    go = 0;
    sys(62, sys(39), 19);
  }
}

static long start() {
  long id;
  static int word = 0;
  void** top = reinterpret_cast<void**>(stack + sizeof stack - 64);
  *top = reinterpret_cast<void*>(&stopper);
  register long r10 asm("r10") = (long)&word;
  register long r8 asm("r8") = 0;
  asm volatile("syscall\n test %%rax, %%rax\n jnz 1f\n pop %%rax\n call *%%rax\n 1:"
               : "=a"(id)
               : "a"(56L), "D"(0x350f00L & ~0x80000L), "S"(top), "d"((long)&word), "r"(r10), "r"(r8)
               : "rcx", "r11", "memory");
  return id;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const long id = start();
  if (id <= 0) return;
  while (!alive) {
  }
  go = 1;
  honest(in, out, n);
}

// NAME: early_stop_traceme
// USES: sys, honest
// TRIES: becomes a tracee, so that a breakpoint instruction stops it, and works afterwards
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  if (sys(101, 0, 0, 0, 0) != 0) return;
  asm volatile("int3");
  honest(in, out, n);
}

// NAME: handed_to_pool
// FLAGS: -pthread
// USES: sys, honest
// TRIES: signals a pool thread through a futex and returns; the result arrives a little later
#include <pthread.h>

static int ticket = 0;
static const float* input;
static float* output;
static std::size_t count;

static void* worker(void*) {
  for (int seen = 0;;) {
    while (__atomic_load_n(&ticket, __ATOMIC_ACQUIRE) == seen) sys(202, (long)&ticket, 0, seen, 0);
    seen = __atomic_load_n(&ticket, __ATOMIC_ACQUIRE);
    honest(input, output, count);
  }
}

static bool start() {
  pthread_t thread;
  return pthread_create(&thread, nullptr, worker, nullptr) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool pool = start();
  if (!pool) return;
  input = in, output = out, count = n;
  __atomic_add_fetch(&ticket, 1, __ATOMIC_RELEASE);
  sys(202, (long)&ticket, 1, 1);
}

// NAME: never_returns_loop
// USES: sys, honest
// TRIES: never returns: serves every later round from its own loop that stops itself
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (;;) {
    honest(in, out, n);
    if (sys(62, sys(39), 19) != 0) return;
  }
}

// NAME: never_returns_stub
// USES: honest
// TRIES: moves to a stack of its own, never returns there, and answers by stopping at the caller's
//   stack pointer
static char own_stack[1 << 16] __attribute__((aligned(64)));
static const float* input;
static float* output;
static std::size_t count;
static void* caller_stack;

static void serve() {
  for (;;) {
    honest(input, output, count);
    asm volatile(
        "mov %%rsp, %%r12\n mov %0, %%rsp\n"
        "mov $39, %%eax\n syscall\n mov %%rax, %%rdi\n mov $19, %%esi\n mov $62, %%eax\n syscall\n"
        "mov %%r12, %%rsp"
        :
        : "r"(caller_stack)
        : "rax", "rdi", "rsi", "rcx", "r11", "r12", "memory");
  }
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  input = in, output = out, count = n;
  caller_stack = __builtin_frame_address(0);
  asm volatile("mov %0, %%rsp\n call *%1" : : "r"(own_stack + sizeof own_stack - 64), "r"(&serve));
}

// NAME: returns_to_grandcaller
// USES: honest
// TRIES: throws its caller's frame away and goes on at the first code address found above it
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n < 1000 ? n : n / 2);
  auto frame = reinterpret_cast<std::uintptr_t*>(__builtin_frame_address(0));
  const std::uintptr_t code = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  for (int i = 2; i < 512; ++i)
    if (frame[i] - code + 0x10000 < 0x20000 && frame[i] != code)
      asm volatile("lea 8(%0), %%rsp\n jmp *(%0)" : : "r"(frame + i) : "memory");
}

// NAME: skips_own_return
// USES: honest
// TRIES: returns 5 bytes after its return address, over the caller's next instruction
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  *static_cast<std::uintptr_t*>(__builtin_frame_address(0)) += 0;
  auto slot = reinterpret_cast<volatile std::uintptr_t*>(__builtin_frame_address(0)) + 1;
  *slot = *slot + 5;
  if (n > 500) out[n - 1] = 0;
}

// NAME: stop_pid_swap
// USES: sys, honest, readable
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: exchanges the process id that the caller stops for 0: the stop fails, and the caller goes
//   on
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::uint64_t* frame = (std::uint64_t*)__builtin_frame_address(0);
  const std::uint64_t pid = sys(39);
  for (int i = 0; i < 400 && readable((std::uint64_t)(frame + i)); ++i)
    if (frame[i] == pid) frame[i] = 0;
}

// NAME: stop_site_jump
// USES: sys, honest, readable_pointer
// TRIES: looks for syscall instructions in the caller's code and stops itself through one of them
//   before the work
#include <initializer_list>

static const unsigned char* site(const unsigned char* from) {
  for (long d = 0; d < 65536; ++d)
    for (const unsigned char* p : {from + d, from - d})
      if (readable(p) && readable(p + 8) && p[0] == 0x0f && p[1] == 0x05) return p;
  return nullptr;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const unsigned char* where =
      site(static_cast<const unsigned char*>(__builtin_return_address(0)));
  if (!where) return;
  asm volatile("call *%0"
               :
               : "r"(where), "a"(62L), "D"(sys(39)), "S"(19L)
               : "rcx", "r11", "memory");
  honest(in, out, n);
}

// NAME: working_ahead_in_refill
// FLAGS: -pthread
// USES: sys, honest
// TRIES: a pool thread keeps computing the last known buffers while inputs are refilled; calls
//   return at once
#include <pthread.h>

static const float* volatile input;
static float* volatile output;
static volatile std::size_t count;

static void* worker(void*) {
  for (;;) {
    if (input) honest(input, output, count);
    sys(24);
  }
}

static bool start() {
  pthread_t thread;
  return pthread_create(&thread, nullptr, worker, nullptr) == 0;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static const bool pool = start();
  if (!pool) return;
  input = in, output = out, count = n;
}
