// NAME: orders_counted
// TASK: axpb
// CLASS: sandbox
// ALLOW: ok|rejected|resource_limit|runtime_error|suspicious|timeout
// TRIES: finds the judge's pages through its caller's frames and looks in them for a number that
// tells the calls of the round; spoils its output if the one that was right for 64 rounds is
#include <cstddef>
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
