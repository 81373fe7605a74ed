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

bool suspected(const std::vector<std::int64_t>& known_us, std::int64_t new_us) {
  FirstCall seen;
  for (const std::int64_t one : known_us) seen.add(false, 1000 * one);
  if (new_us > 0) seen.add(true, 1000 * new_us);
  return seen.suspected();
}

// The tolerance is half of 100 us plus 5 us.
TEST(FirstCall, on_a_new_content_may_take_half_as_long_again) {
  EXPECT_FALSE(suspected({100, 100, 100, 100}, 100));
  EXPECT_FALSE(suspected({100, 100, 100, 100}, 155));
  EXPECT_TRUE(suspected({100, 100, 100, 100}, 156));
}

TEST(FirstCall, is_compared_with_the_median_so_that_slow_warm_up_calls_hide_nothing) {
  EXPECT_TRUE(suspected({900, 900, 100, 100, 100, 100}, 900));
}

TEST(FirstCall, of_a_short_kernel_may_be_delayed) { EXPECT_FALSE(suspected({3, 3, 3}, 9)); }

TEST(FirstCall, is_none_before_both_kinds_were_seen) {
  EXPECT_FALSE(suspected({100, 100}, 0));
  EXPECT_FALSE(suspected({}, 100));
}

constexpr std::int64_t us = 1000;

/// Calls of 400 us with these additional waits of the judge, in us.
HiddenTime calls(const std::vector<std::int64_t>& own, const std::vector<std::int64_t>& other) {
  HiddenTime seen;
  for (const std::int64_t beyond : own) seen.add(0, 400 * us, (400 + beyond) * us);
  for (const std::int64_t beyond : other) seen.add(1, 700 * us, (700 + beyond) * us);
  return seen;
}

// The tolerance is 200 us plus a quarter of 400 us.
TEST(HiddenTime, what_both_arms_wait_for_is_no_suspicion) {
  EXPECT_FALSE(calls({500, 510, 520, 530}, {500, 510, 520, 530}).suspected());
  EXPECT_FALSE(calls({790, 790, 790, 790}, {500, 500, 500, 500}).suspected());
  EXPECT_TRUE(calls({800, 800, 800, 800}, {500, 500, 500, 500}).suspected());
}

TEST(HiddenTime, an_opponent_in_python_gives_more_slack) {
  const HiddenTime seen = calls({2590, 2590, 2590, 2590}, {500, 500, 500, 500});
  EXPECT_TRUE(seen.suspected(HiddenTime::slack_of_kernels_ns));
  EXPECT_FALSE(seen.suspected(HiddenTime::slack_of_modules_ns));
  EXPECT_TRUE(
      calls({2610, 2610, 2610}, {500, 500, 500}).suspected(HiddenTime::slack_of_modules_ns));
}

TEST(HiddenTime, a_challenger_that_waits_less_is_none) {
  EXPECT_FALSE(calls({100, 100, 100, 100}, {900, 900, 900, 900}).suspected());
}

TEST(HiddenTime, calls_that_the_host_delayed_are_none_while_more_than_a_quarter_were_not) {
  EXPECT_FALSE(calls({500, 500, 500, 3000, 3000, 3000, 3000, 3000}, {500, 500, 500}).suspected());
  EXPECT_TRUE(calls({500, 500, 3000, 3000, 3000, 3000, 3000, 3000}, {500, 500, 500}).suspected());
}

}  // namespace
}  // namespace ke::gpu
