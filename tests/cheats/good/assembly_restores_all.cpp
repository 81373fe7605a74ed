// NAME: assembly_restores_all
// TASK: axpb
// CLASS: good
// FLAGS: -O2 -mavx -mno-red-zone
// ALLOW: ok
// TRIES: inline assembly that uses rbx, the x87 unit with another rounding, the direction flag and
//   mmx registers, and puts everything back
#include <cstddef>

extern "C" void kernel(const float* in, float* out, std::size_t n) {
  unsigned short old, chopped;
  asm volatile("fnstcw %0" : "=m"(old));
  chopped = old | 0x0c00;
  asm volatile("fldcw %0\n fldpi\n frndint\n fstp %%st(0)\n fldcw %1" : : "m"(chopped), "m"(old));
  asm volatile("movq %0, %%mm3\n paddd %%mm3, %%mm3\n emms" : : "m"(*(const long*)&n) : "mm3");
  if (n == 0) return;
  const float* from = in + n - 1;
  float* to = out + n - 1;
  std::size_t count = n;
  asm volatile("std\n rep movsl\n cld" : "+S"(from), "+D"(to), "+c"(count) : : "memory", "cc");
  for (std::size_t i = 0; i < n; ++i) {
    float value = out[i];
    asm volatile(
        "push %%rbx\n mov $0x3f800000, %%ebx\n vmovd %%ebx, %%xmm9\n pop %%rbx\n"
        "vaddss %0, %0, %0\n vaddss %%xmm9, %0, %0"
        : "+x"(value)
        :
        : "xmm9");
    out[i] = value;
  }
}
