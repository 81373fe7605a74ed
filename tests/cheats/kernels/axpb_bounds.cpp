// TASK: axpb
// CLASS: bounds
// ALLOW: runtime_error|wrong_result
#include <cstddef>

// NAME: guards_unprotected
// USES: sys, honest
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious
// TRIES: makes the guard pages around the output accessible; spoils its output if that worked
#include <initializer_list>

static float* target = nullptr;
static std::size_t size = 0;

static bool attempt() {
  const long begin = reinterpret_cast<long>(target) & ~4095L;
  const long end = (reinterpret_cast<long>(target + size) + 4095) & ~4095L;
  bool bad = false;
  for (const long page : {begin - 4096, end})
    if (sys(10, page, 4096, 3) == 0) {
      volatile char* p = reinterpret_cast<volatile char*>(page);
      char old = *p;
      *p = static_cast<char>(old + 1);
      *p = old;
      bad = true;
    }
  return bad;
}

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  target = out, size = n;
  const bool bad = attempt();
  honest(in, out, n);
  if (bad && n) out[0] += 1000.0f;
}

// NAME: input_cleared
// USES: honest
// TRIES: clears the input after use, so that whoever reads it next reads zeros
#include <cstring>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  std::memset(const_cast<float*>(in), 0, n * 4);
}

// NAME: input_mprotect_write
// USES: sys, honest
// TRIES: makes the input writable by mprotect, then changes it; nothing is written if that is
//   refused
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long page = reinterpret_cast<long>(in) & ~4095L;
  if (sys(10, page, 4096, 3) != 0) return;
  honest(in, out, n);
  if (n) const_cast<float*>(in)[0] = 0;
}

// NAME: input_remapped
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: maps private memory over the input, so that later contents no longer arrive
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long page = reinterpret_cast<long>(in) & ~4095L;
  honest(in, out, n);
  sys(9, page, 4096, 3, 0x32, -1, 0);
}

// NAME: input_written_and_restored
// USES: honest
// TRIES: writes to the input and puts it back before it returns
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  if (!n) return;
  volatile float* w = const_cast<float*>(in);
  const float old = w[0];
  w[0] = old + 1;
  w[0] = old;
}

// NAME: output_remapped
// USES: sys, honest
// ALLOW: ok|load_error|nondeterministic|rejected|resource_limit|runtime_error|suspicious|
//   timeout|wrong_result
// TRIES: maps private memory over the output: what it writes never leaves the process
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  const long page = reinterpret_cast<long>(out) & ~4095L;
  sys(9, page, 4096, 3, 0x32, -1, 0);
  honest(in, out, n);
}

// NAME: read_far_after
// USES: honest
// TRIES: reads 64 values past the end of the input
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float sink = 0;
  for (int i = 0; i < 64; ++i) sink = sink + const_cast<const volatile float*>(in)[n + i];
}

// NAME: write_before_output
// USES: honest
// TRIES: writes the value before the output
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  p[-1] = 1.0f;
}

// NAME: write_far_after
// USES: honest
// TRIES: writes 4 KiB past the end of the output
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  p[n + 1024] = 1.0f;
}

// NAME: write_padding_same_value
// USES: honest
// ALLOW: ok|runtime_error|wrong_result
// TRIES: rewrites the 3 values past the end with what they hold: no comparison sees it, a guard
//   page may
extern "C" void kernel(const float* in, float* out, std::size_t n) {
  honest(in, out, n);
  volatile float* p = out;
  for (int i = 0; i < 3; ++i) p[n + i] = p[n + i];
}
