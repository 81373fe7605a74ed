#pragma once
// The roofline of one core: memory bandwidth by working-set size, and the peak multiply-add rate.

#include <cstddef>
#include <map>
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

/// Read-and-write streams, measured on first use and remembered. Used by one thread.
class Bandwidth {
 public:
  /// Bytes read plus written per nanosecond with a working set of `bytes`: the best of several
  /// passes that stay in the cache level which holds it.
  double bytes_per_ns(std::size_t bytes);

 private:
  std::map<std::size_t, double> known_;
};

}  // namespace ke
