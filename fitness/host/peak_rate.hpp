#pragma once
// Peak multiply-add rate of one core: the flat part of a roofline.

#include <optional>
#include <string_view>

namespace ke {

struct PeakRate {
  double flops_per_s = 0;         ///< float32; a multiply-add of one lane counts two
  std::string_view instructions;  ///< the widest available: avx512f or fma
};

/// The best of many short passes of independent multiply-adds in registers. Takes 30 ms on the
/// calling thread. Nothing on a CPU without fused multiply-add.
std::optional<PeakRate> measure_peak_rate();

}  // namespace ke
