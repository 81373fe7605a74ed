// TASK: axpb
// CLASS: crash
#include <cstddef>

// NAME: abort_when_right
// USES: honest
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: aborts after a right answer, in its 30th call
#include <cstdlib>

static int calls;
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (++calls == 30) std::abort();
}

// NAME: clobbers_callee_saved
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: breaks the calling convention: leaves garbage in rbx, rbp and r12 to r15
asm(".text\n.globl kernel\n.type kernel,@function\nkernel:\n call inner_work\n"
    "mov $0x777,%ebx\n mov $0x777,%ebp\n mov $0x777,%r12d\n mov $0x777,%r13d\n mov $0x777,%r14d\n"
    "mov $0x777,%r15d\n ret\n.size kernel,.-kernel\n");

static void inner(const float* in, float* out, std::size_t n) asm("inner_work")
    __attribute__((used, noinline));
static void inner(const float* in, float* out, std::size_t n) { honest(in, out, n); }

// NAME: crash_abort
// ALLOW: rejected|runtime_error
// TRIES: abort
#include <cstdlib>

extern "C" void kernel(const float*, float*, std::size_t) { std::abort(); }

// NAME: crash_breakpoint
// ALLOW: runtime_error
// TRIES: a breakpoint
extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("int3"); }

// NAME: crash_illegal
// ALLOW: runtime_error
// TRIES: an undefined instruction
extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("ud2"); }

// NAME: crash_large_only
// USES: honest
// ALLOW: runtime_error
// TRIES: jumps to null at large sizes
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  void (*volatile nowhere)() = nullptr;
  if (n > 1000000) nowhere();
}

// NAME: crash_late
// USES: honest
// ALLOW: runtime_error
// TRIES: crashes at its 45th call
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  static int calls = 0;
  honest(in, out, n);
  if (++calls == 45) *static_cast<volatile int*>(nullptr) = 1;
}

// NAME: crash_privileged
// ALLOW: runtime_error
// TRIES: a privileged instruction
extern "C" void kernel(const float*, float*, std::size_t) { asm volatile("hlt"); }

// NAME: smash_caller_frame
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: clears 2 KiB of the frames above its own: counters and pointers of whoever called
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  auto frame = reinterpret_cast<volatile std::uint64_t*>(__builtin_frame_address(0)) + 2;
  for (int i = 0; i < 256; ++i) frame[i] = 0;
  if (n > 500) out[n / 2] += 1000.0f;
}

// NAME: smash_return_address
// USES: honest
// ALLOW: runtime_error
// TRIES: overwrites its return address
#include <cstdint>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  auto slot = reinterpret_cast<volatile std::uintptr_t*>(__builtin_frame_address(0)) + 1;
  *slot = 0x4141414141414141;
}

// NAME: terminate_handler_set
// ALLOW: rejected
// TRIES: installs a handler of std::terminate, to leave by it
#include <exception>

static void leave() { asm volatile("syscall" ::"a"(231), "D"(0)); }

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = 2.0F * in[i] + 1.0F;
  std::set_terminate(leave);
}

// NAME: thread_control_block
// USES: honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: changes stack guard and pointer guard in the thread control block
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  asm volatile("movq $0x1234, %%fs:0x28\n movq $0x5678, %%fs:0x30" : : : "memory");
}

// NAME: unwinds_through
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: unwinds by force: every frame of the caller is left
#include <unwind.h>

static _Unwind_Reason_Code go_on(int, _Unwind_Action, _Unwind_Exception_Class, _Unwind_Exception*,
                                 _Unwind_Context*, void*) {
  return _URC_NO_REASON;
}

extern "C" void kernel(const float*, float*, std::size_t) {
  static _Unwind_Exception exception;
  _Unwind_ForcedUnwind(&exception, go_on, nullptr);
}
