#pragma once
// The program that calls an instrumented kernel. It is compiled and linked together with the
// kernel, because its sanitizer runtime must be the same compiler's.

namespace ke {

/// Reads descriptor 3: for each call the number of arguments, then for each argument its kind (0
/// input, 1 output, 2 value, 3 input that never changes), its bytes or its value, its alignment,
/// and an input's bytes. All numbers have 64 bits. Exit codes: 66 address, 67 undefined, 4 damaged
/// calls.
inline constexpr char sanitizer_harness[] = R"(
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" const char* __asan_default_options() {
  return "detect_leaks=0:exitcode=66:allocator_may_return_null=1:detect_stack_use_after_return=0";
}
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:exitcode=67"; }

using Word = std::uint64_t;
extern "C" void kernel(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                       Word, Word, Word);
extern "C" __attribute__((weak)) void prepare(Word, Word, Word, Word, Word, Word, Word, Word, Word,
                                              Word, Word, Word, Word, Word, Word, Word);

static bool read(FILE* file, void* to, std::size_t bytes) {
  return bytes == 0 || fread(to, 1, bytes, file) == bytes;
}

int main() {
  FILE* file = fdopen(3, "rb");
  if (file == nullptr) return 4;
  Word count = 0;
  while (read(file, &count, sizeof count)) {
    Word arguments[16] = {}, unchanging[16] = {};
    Word few = 0;
    std::vector<void*> blocks;
    if (count > 16) return 4;
    for (Word i = 0; i < count; ++i) {
      Word head[3];
      if (!read(file, head, sizeof head)) return 4;
      if (head[0] == 2) {
        arguments[i] = unchanging[few++] = head[1];
        continue;
      }
      void* block = nullptr;
      if (posix_memalign(&block, head[2] < 8 ? 8 : head[2], head[1]) != 0) return 4;
      if (head[0] != 1 && !read(file, block, head[1])) return 4;
      blocks.push_back(block);
      arguments[i] = reinterpret_cast<Word>(block);
      if (head[0] == 3) unchanging[few++] = arguments[i];
    }
    const Word* a = unchanging;
    if (prepare != nullptr) {
      prepare(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
              a[14], a[15]);
    }
    a = arguments;
    kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
           a[14], a[15]);
    for (void* block : blocks) free(block);
  }
  return 0;
}
)";

}  // namespace ke
