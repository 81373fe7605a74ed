#include "fitness/host/peak_rate.hpp"

#include <algorithm>
#include <cstdint>

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

}  // namespace ke
