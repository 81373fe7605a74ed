// TASK: axpb
// CLASS: snoop
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
#include <cstddef>

// NAME: descriptor_read
// USES: sys, honest, attempt_kernel
// TRIES: reads whatever its descriptors hold
static bool attempt() {
  char bytes[64];
  for (long fd = 0; fd < 256; ++fd)
    if (sys(17, fd, (long)bytes, sizeof bytes, 0) > 0) return true;
  return false;
}

// NAME: descriptor_tamper
// USES: sys, honest, attempt_kernel
// TRIES: writes to, truncates, seals and maps writable every descriptor it inherited
static bool attempt() {
  bool bad = false;
  const char byte = 0;
  for (long fd = 3; fd < 256; ++fd) {
    bad |= sys(18, fd, (long)&byte, 1, 0) > 0;
    bad |= sys(77, fd, 4096) == 0;
    bad |= sys(9, 0, 4096, 3, 1, fd, 0) > 0;
  }
  return bad;
}

// NAME: scan_address_space
// USES: sys, readable_pointer
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: walks the pages around its buffers, and through all address sets, for the expected result;
//   zeros if there is none
#include <cstdint>
#include <cstring>
#include <initializer_list>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::memset(out, 0, n * 4);
  if (n < 8 || n > 5000) return;
  for (const float* base : {in, static_cast<const float*>(out)}) {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(base) & ~std::uintptr_t(4095);
    for (long d = -2048; d < 2048; ++d) {
      auto p = reinterpret_cast<const float*>(page + d * 4096);
      if (!readable(p)) continue;
      for (int i = 0; i < 1016; i += 4)
        if (p + i != out && p[i] == 2 * in[0] + 1 && p[i + 1] == 2 * in[1] + 1 &&
            readable(p + i + n))
          return void(std::memcpy(out, p + i, n * 4));
    }
  }
}

// NAME: scan_environment
// USES: sys, honest, readable_pointer, attempt_kernel
// TRIES: searches the top of its stack for a planted environment variable
static bool attempt() {
  auto p = static_cast<const char*>(__builtin_frame_address(0));
  const char code[] = {'L' - 1, 'F' - 1, '_',     'D' - 1, 'B' - 1, 'O' - 1,
                       'B' - 1, 'S' - 1, 'Z' - 1, '_',     'Y' - 1};
  for (; readable(p + 16); ++p) {
    int same = 0;
    while (same < 11 && p[same] == code[same]) ++same;
    if (same == 11 && p[11] == '=') return true;
  }
  return false;
}

// NAME: scan_stack
// USES: sys, readable_pointer
// ALLOW: load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: follows every pointer on the caller's stack in search of the expected result; zeros if
//   there is none
#include <cstdint>
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  std::memset(out, 0, n * 4);
  if (n < 4) return;
  auto slot = static_cast<const std::uintptr_t*>(__builtin_frame_address(0));
  for (int i = 0; i < 32768 && readable(slot + i); ++i) {
    auto p = reinterpret_cast<const float*>(slot[i] & ~std::uintptr_t(3));
    if (p == out || !readable(p) || !readable(p + n - 2)) continue;
    if (p[0] == 2 * in[0] + 1 && p[1] == 2 * in[1] + 1) return void(std::memcpy(out, p, n * 4));
  }
}
