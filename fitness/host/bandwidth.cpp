#include "fitness/host/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "fitness/timing/clock.hpp"

namespace ke {
namespace {

constexpr std::int64_t rounds_of_pass = 20'000;
constexpr std::int64_t time_ns = 30'000'000;
constexpr double chains = 12;

// Twelve chains, because a latency of four cycles on two ports needs eight. Assembly, because the
// figure must not depend on how this file is compiled. All registers are zero, so no operand is
// slow.
#define KE_FMA(width, n) "vfmadd231ps %%" width "12, %%" width "13, %%" width n "\n\t"
#define KE_FMA_LOOP(width) \
  asm volatile(                                                                                  \
      "vzeroall\n\t"                                                                             \
      "1:\n\t" KE_FMA(width, "0") KE_FMA(width, "1") KE_FMA(width, "2") KE_FMA(width, "3")       \
          KE_FMA(width, "4") KE_FMA(width, "5") KE_FMA(width, "6") KE_FMA(width, "7")            \
          KE_FMA(width, "8") KE_FMA(width, "9") KE_FMA(width, "10") KE_FMA(width, "11")          \
      "dec %0\n\t"                                                                               \
      "jnz 1b\n\t"                                                                               \
      "vzeroupper"                                                                               \
      : "+r"(rounds)                                                                             \
      :                                                                                          \
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",    \
        "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

void run_512(std::int64_t rounds) { KE_FMA_LOOP("zmm"); }
void run_256(std::int64_t rounds) { KE_FMA_LOOP("ymm"); }

#undef KE_FMA_LOOP
#undef KE_FMA

constexpr std::size_t smallest_bytes = std::size_t{1} << 12;
constexpr std::size_t largest_bytes = std::size_t{1} << 26;
constexpr std::size_t bytes_per_pass = std::size_t{1} << 22;

// The best speed of work that moves `bytes` bytes.
template <typename Work>
double measure(std::size_t bytes, Work work) {
  const std::size_t repeats = std::max<std::size_t>(bytes_per_pass / bytes, 1);
  double best = 0;
  for (int pass = 0; pass < 8; ++pass) {
    const std::int64_t before = now_ns();
    for (std::size_t i = 0; i < repeats; ++i) work();
    const auto took = static_cast<double>(std::max<std::int64_t>(now_ns() - before, 1));
    best = std::max(best, static_cast<double>(bytes * repeats) / took);
  }
  return best;
}

// Reading alone can be faster per byte than copying; memchr for an absent byte is the fastest
// reader available.
double measure_reads(std::size_t bytes) {
  const std::vector<char> from(bytes, 1);
  return measure(bytes, [&] {
    const void* volatile found = std::memchr(from.data(), 7, bytes);
    static_cast<void>(found);
  });
}

double measure_copies(std::size_t bytes) {
  const std::size_t half = bytes / 2;
  std::vector<char> from(half, 1), to(half, 2);
  return measure(bytes, [&] {
    std::memcpy(to.data(), from.data(), half);
    asm volatile("" : : "r"(to.data()) : "memory");
  });
}

}  // namespace

std::optional<PeakRate> measure_peak_rate() {
  const bool wide = __builtin_cpu_supports("avx512f");
  if (!wide && !__builtin_cpu_supports("fma")) return std::nullopt;
  const double flops = rounds_of_pass * chains * (wide ? 32 : 16);
  const std::int64_t end = now_ns() + time_ns;
  double best = 0;
  while (now_ns() < end) {
    const std::int64_t before = now_ns();
    (wide ? run_512 : run_256)(rounds_of_pass);
    const auto took = static_cast<double>(std::max<std::int64_t>(now_ns() - before, 1));
    best = std::max(best, flops / took);
  }
  return PeakRate{best * 1e9, wide ? "avx512f" : "fma"};
}

double Bandwidth::bytes_per_ns(std::size_t bytes) {
  const std::size_t size =
      std::clamp(std::bit_floor(std::max<std::size_t>(bytes, 1)), smallest_bytes, largest_bytes);
  const auto [entry, fresh] = known_.try_emplace(size, 0);
  if (fresh) {
    // A larger set is never faster, so larger sets correct a measurement on a disturbed core.
    entry->second = std::max(measure_copies(size), measure_reads(size));
    for (const auto& [other, speed] : known_) {
      if (other > size) entry->second = std::max(entry->second, speed);
    }
  }
  return entry->second;
}

}  // namespace ke
