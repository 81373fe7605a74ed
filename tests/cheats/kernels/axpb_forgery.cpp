// TASK: axpb
// CLASS: forgery
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
#include <cstddef>

// NAME: closes_descriptors
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: correct, but closes descriptors 0 to 1023
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  for (long fd = 0; fd < 1024; ++fd) sys(3, fd);
}

// NAME: exit_group_zero
// USES: sys, honest
// TRIES: ends the process with status 0 by a raw exit_group
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  sys(231, 0);
}

// NAME: exit_thread_zero
// USES: sys, honest
// TRIES: ends the calling thread with status 0 by a raw exit
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  sys(60, 0);
}

// NAME: forged_answer
// USES: sys
// TRIES: writes a flattering record to every descriptor and ends with status 0
extern "C" void kernel(const float*, float*, std::size_t) {
  static const char record[] =
      "{\"verdict\":\"ok\",\"reason\":\"\",\"speedup\":1000,\"ci\":[999,1001],\"candidate_ns\":1,"
      "\"diagnostics\":[]}\n";
  for (long fd = 0; fd < 64; ++fd) sys(1, fd, (long)record, sizeof record - 1);
  sys(231, 0);
}

// NAME: header_pointer_swap
// USES: sys, honest, readable
// TRIES: exchanges the caller's pointer to its orders for a list without calls: later rounds would
//   end at once
#include <cstdint>
#include <cstring>

static std::uint64_t fake[128];

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::uint64_t* frame = (std::uint64_t*)__builtin_frame_address(0);
  for (int i = 0; i < 200; ++i) {
    if (!readable((std::uint64_t)(frame + i))) return;
    const std::uint64_t orders = frame[i];
    if (orders % 4096 != 0 || !readable(orders) ||
        *(const std::uint64_t*)orders != 0x314b524f57454bULL)
      continue;
    std::memcpy(fake, (const void*)orders, sizeof fake);
    fake[8] = 0;
    frame[i] = (std::uint64_t)fake;
  }
}

// NAME: kernel_pointer_swap
// USES: sys, honest, readable
// TRIES: exchanges the caller's pointer to the kernel for one that does nothing
#include <cstdint>

static void nothing(const float*, float*, std::size_t) {}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::uint64_t* frame = (std::uint64_t*)__builtin_frame_address(0);
  for (int i = 0; i < 400 && readable((std::uint64_t)(frame + i)); ++i)
    if (frame[i] == (std::uint64_t)&kernel) frame[i] = (std::uint64_t)&nothing;
}

// NAME: unmaps_libraries
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: unmaps a gigabyte on both sides of its own stack page and of its code
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  const long caller = reinterpret_cast<long>(__builtin_return_address(0)) & ~4095L;
  sys(11, caller - 65536, 131072);
}
