#pragma once
// Identifies the processor and the extensions that it supports. Part of every exported dispatcher.

#include <cpuid.h>

#include <cstddef>
#include <cstring>

namespace dispatch {

// Extensions that compilers use on their own if -march allows it: the compiler's macro, and the
// name for __builtin_cpu_supports.
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

using Extensions = unsigned long long;  ///< one bit per extension, in the order above

/// Extensions that this processor and its operating system support.
inline Extensions supported_extensions() {
  Extensions found = 0, bit = 1;
#define DISPATCH_FOUND(macro, name)               \
  if (__builtin_cpu_supports(name)) found |= bit; \
  bit <<= 1;
  DISPATCH_EXTENSIONS(DISPATCH_FOUND)
#undef DISPATCH_FOUND
  return found;
}

/// Copies a text without leading, trailing and repeated spaces.
inline void copy_words(const char* from, char* to) {
  std::size_t length = 0;
  for (; *from != 0; ++from) {
    const bool skipped = *from == ' ' && (length == 0 || to[length - 1] == ' ');
    if (!skipped) to[length++] = *from;
  }
  if (length > 0 && to[length - 1] == ' ') --length;
  to[length] = 0;
}

/// The name that the processor reports, mostly Linux's "model name"; "" if it has none.
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
