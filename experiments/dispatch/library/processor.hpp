#pragma once
// Which processor this is, and what code it can run. Part of every exported dispatcher.

#include <cpuid.h>

#include <cstddef>
#include <cstring>

namespace dispatch {

// Extensions that compilers use by themselves where -march allows it: the compiler's macro, and the
// name that __builtin_cpu_supports takes.
#define DISPATCH_EXTENSIONS(X)              \
  X(__SSE3__, "sse3")                       \
  X(__SSSE3__, "ssse3")                     \
  X(__SSE4_1__, "sse4.1")                   \
  X(__SSE4_2__, "sse4.2")                   \
  X(__SSE4A__, "sse4a")                     \
  X(__POPCNT__, "popcnt")                   \
  X(__LZCNT__, "lzcnt")                     \
  X(__MOVBE__, "movbe")                     \
  X(__BMI__, "bmi")                         \
  X(__BMI2__, "bmi2")                       \
  X(__ADX__, "adx")                         \
  X(__F16C__, "f16c")                       \
  X(__FMA__, "fma")                         \
  X(__AVX__, "avx")                         \
  X(__AVX2__, "avx2")                       \
  X(__AVXVNNI__, "avxvnni")                 \
  X(__GFNI__, "gfni")                       \
  X(__AVX512F__, "avx512f")                 \
  X(__AVX512CD__, "avx512cd")               \
  X(__AVX512BW__, "avx512bw")               \
  X(__AVX512DQ__, "avx512dq")               \
  X(__AVX512VL__, "avx512vl")               \
  X(__AVX512IFMA__, "avx512ifma")           \
  X(__AVX512VBMI__, "avx512vbmi")           \
  X(__AVX512VBMI2__, "avx512vbmi2")         \
  X(__AVX512VNNI__, "avx512vnni")           \
  X(__AVX512BITALG__, "avx512bitalg")       \
  X(__AVX512VPOPCNTDQ__, "avx512vpopcntdq") \
  X(__AVX512BF16__, "avx512bf16")           \
  X(__AVX512FP16__, "avx512fp16")

using Extensions = unsigned long long;  ///< a bit for each, in the order above

/// Those that this processor and its operating system have.
inline Extensions supported_extensions() {
  Extensions found = 0, bit = 1;
#define DISPATCH_FOUND(macro, name)               \
  if (__builtin_cpu_supports(name)) found |= bit; \
  bit <<= 1;
  DISPATCH_EXTENSIONS(DISPATCH_FOUND)
#undef DISPATCH_FOUND
  return found;
}

/// Copies a text without its repeated spaces and those at its ends.
inline void copy_words(const char* from, char* to) {
  std::size_t length = 0;
  for (; *from != 0; ++from) {
    const bool skipped = *from == ' ' && (length == 0 || to[length - 1] == ' ');
    if (!skipped) to[length++] = *from;
  }
  if (length > 0 && to[length - 1] == ' ') --length;
  to[length] = 0;
}

/// The processor's name for itself, which Linux mostly calls its "model name". "" when it has none.
struct ProcessorName {
  char text[49] = {};
  ProcessorName() {
    constexpr unsigned first = 0x80000002U, parts = 3;
    char raw[16 * parts + 1] = {};
    for (unsigned part = 0; part < parts; ++part) {
      unsigned words[4] = {};
      if (__get_cpuid(first + part, &words[0], &words[1], &words[2], &words[3]) == 0) return;
      std::memcpy(raw + std::size_t{16} * part, words, sizeof words);
    }
    copy_words(raw, text);
  }
};

}  // namespace dispatch
