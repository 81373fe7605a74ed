#include "fitness/host/bandwidth.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

// Between half a multiply-add per cycle at 1 GHz, and two of them at 7 GHz.
TEST(PeakRate, is_one_that_a_core_can_have) {
  const auto peak = measure_peak_rate();
  if (!peak) GTEST_SKIP() << "this CPU has no fused multiply-add";
  const double lanes = peak->instructions == "avx512f" ? 16 : 8;
  EXPECT_GT(peak->flops_per_s, lanes * 1e9);
  EXPECT_LT(peak->flops_per_s, lanes * 2 * 2 * 7e9);
}

}  // namespace
}  // namespace ke
