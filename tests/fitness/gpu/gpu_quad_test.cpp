#include "fitness/gpu/gpu_quad.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ke::gpu {
namespace {

/// Both arms' second samples take `percent` of the first ones.
GpuQuad quad(std::int64_t percent, bool throttled = false) {
  const std::int64_t a = percent, b = 2 * percent;
  return {"ABBA", {100, 200, b, a}, {100, 200, b, a}, throttled};
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

TEST(GpuQuad, unrest_is_what_both_arms_show) {
  EXPECT_DOUBLE_EQ(unrest_of(quad(100)), 0.0);
  EXPECT_DOUBLE_EQ(unrest_of(quad(150)), 0.5);
  // One arm alone, which might do so on purpose in calls that it wants to have repeated.
  EXPECT_DOUBLE_EQ(unrest_of({"ABBA", {100, 200, 200, 300}, {}, false}), 0.0);
  EXPECT_DOUBLE_EQ(unrest_of({"BAAB", {100, 200, 300, 100}, {}, false}), 0.0);
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

Recall seen(std::vector<std::int64_t> known, std::int64_t fresh, std::vector<std::int64_t> known_b,
            std::int64_t fresh_b) {
  Recall recall;
  for (const std::int64_t ns : known) recall.add(0, false, ns);
  for (const std::int64_t ns : known_b) recall.add(1, false, ns);
  if (fresh > 0) recall.add(0, true, fresh);
  if (fresh_b > 0) recall.add(1, true, fresh_b);
  return recall;
}

TEST(Recall, is_the_gain_on_known_contents_that_the_opponent_does_not_have) {
  EXPECT_NEAR(seen({1000, 1000, 1000}, 1200, {2000}, 2000).estimate()->log_ratio, std::log(1.2),
              1e-12);
  // A busy moment slows both down.
  EXPECT_NEAR(seen({1000}, 1300, {2000}, 2600).estimate()->log_ratio, 0, 1e-12);
  // Slow warm-up calls hide nothing.
  EXPECT_NEAR(seen({9000, 1000, 1000}, 1500, {2000}, 2000).estimate()->log_ratio, std::log(1.5),
              1e-12);
}

TEST(Recall, needs_calls_of_both_kinds_by_both_arms) {
  EXPECT_FALSE(seen({1000}, 0, {2000}, 2000).estimate());
  EXPECT_FALSE(seen({1000}, 1000, {2000}, 0).estimate());
  EXPECT_FALSE(seen({}, 1000, {2000}, 2000).estimate());
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
