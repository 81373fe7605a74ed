#include "fitness/gpu/gpu_quad.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ke::gpu {
namespace {

GpuQuad quad(std::int64_t last, bool throttled = false) {
  return {"ABBA", {100, 200, 200, last}, {100, 200, 200, last}, throttled};
}

/// The quad kept from a sequence, and the number of quads requested.
struct Kept {
  GpuQuad quad;
  std::size_t taken = 0;
};
Kept kept_of(const std::vector<GpuQuad>& offered) {
  Kept kept;
  const auto take = [&](GpuQuad& into) -> Result<bool> {
    into = offered.at(kept.taken++);
    return true;
  };
  EXPECT_TRUE(*take_calm_quad(take, kept.quad));
  return kept;
}

TEST(GpuQuad, unrest_is_the_largest_distance_of_an_arms_own_samples) {
  EXPECT_DOUBLE_EQ(unrest_of(quad(100)), 0.0);
  EXPECT_DOUBLE_EQ(unrest_of(quad(150)), 0.5);
}

TEST(GpuQuad, a_calm_one_is_taken_at_once) { EXPECT_EQ(kept_of({quad(105)}).taken, 1u); }

TEST(GpuQuad, of_three_that_are_not_calm_the_calmest_counts) {
  const Kept kept = kept_of({quad(150), quad(120), quad(130)});
  EXPECT_EQ(kept.taken, 3u);
  EXPECT_EQ(kept.quad.event_ns[3], 120);
}

TEST(GpuQuad, a_throttled_one_is_taken_again_however_calm_it_was) {
  const Kept kept = kept_of({quad(100, true), quad(104)});
  EXPECT_EQ(kept.taken, 2u);
  EXPECT_FALSE(kept.quad.throttled);
}

TEST(GpuQuad, a_restless_one_counts_before_a_throttled_one) {
  const Kept kept = kept_of({quad(150), quad(100, true), quad(100, true)});
  EXPECT_FALSE(kept.quad.throttled);
  EXPECT_EQ(kept.quad.event_ns[3], 150);
}

TEST(GpuQuad, a_gpu_that_stays_slow_leaves_a_throttled_one) {
  const Kept kept = kept_of({quad(100, true), quad(100, true), quad(100, true)});
  EXPECT_EQ(kept.taken, 3u);
  EXPECT_TRUE(kept.quad.throttled);
}

TEST(GpuQuad, a_finding_ends_it) {
  GpuQuad best;
  int asked = 0;
  EXPECT_FALSE(*take_calm_quad(
      [&](GpuQuad&) -> Result<bool> {
        ++asked;
        return false;
      },
      best));
  EXPECT_EQ(asked, 1);
}

}  // namespace
}  // namespace ke::gpu
