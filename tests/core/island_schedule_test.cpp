#include "core/search/island_schedule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/search/migration.hpp"

namespace ke {
namespace {

/// An island: the gain of its k-th candidate as a logarithm, and the answers that each takes.
struct Source {
  std::function<double(int k)> gain;
  std::int64_t answers = 0;
};

Source steady(double gain, std::int64_t answers = 0) {
  return {[gain](int) { return gain; }, answers};
}

Commit commit(std::int64_t island, double objective, std::int64_t answers = 0) {
  auto candidate = std::make_shared<Candidate>();
  candidate->id.island = island;
  candidate->evaluation.verdict = Verdict::ok;
  candidate->evaluation.objective = objective;
  candidate->evaluation.measured = true;
  ModelUse use;
  use.answers = answers;
  return {candidate, {}, use};
}

/// The islands of `turns` turns in order. Each is told `lag` turns later.
std::vector<std::size_t> play(IslandSchedule& schedule, const std::vector<Source>& sources,
                              std::size_t turns, std::size_t lag = 0) {
  std::vector<std::size_t> order;
  std::vector<double> best(sources.size(), 1);
  std::vector<int> told(sources.size(), -1);
  const auto tell = [&](std::size_t island) {
    const Source& source = sources[island];
    if (told[island] >= 0) best[island] *= std::exp(source.gain(told[island]));
    ++told[island];
    schedule.tell(island, commit(static_cast<std::int64_t>(island), best[island], source.answers));
  };
  for (std::size_t turn = 0; turn < turns; ++turn) {
    if (turn > lag) tell(order[turn - lag - 1]);
    order.push_back(schedule.next());
  }
  return order;
}

double share_of(const std::vector<std::size_t>& order, std::size_t island, std::size_t from) {
  const auto first = order.begin() + static_cast<std::ptrdiff_t>(from);
  return static_cast<double>(std::count(first, order.end(), island)) /
         static_cast<double>(order.end() - first);
}

TEST(IslandSchedule, one_island_takes_every_turn) {
  for (const double floor : {0.0, 0.1, 1.0}) {
    IslandSchedule schedule(1, {.floor = floor});
    EXPECT_EQ(share_of(play(schedule, {steady(0.1)}, 50), 0, 0), 1);
  }
}

TEST(IslandSchedule, islands_that_never_gain_take_turns) {
  for (const std::size_t lag : {0u, 5u}) {
    IslandSchedule schedule(3, {});
    const auto order = play(schedule, {steady(0), steady(0), steady(0)}, 300, lag);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(share_of(order, i, 0), 1.0 / 3, 0.01);
  }
}

TEST(IslandSchedule, the_largest_floor_gives_equal_turns_whatever_islands_gain) {
  IslandSchedule schedule(4, {.floor = 0.25});
  const auto order = play(schedule, {steady(0.5), steady(0), steady(0), steady(0)}, 400);
  for (std::size_t turn = 0; turn < order.size(); ++turn) EXPECT_EQ(order[turn], turn % 4);
}

// In the steady state G = g / (1 - fade) and C = c / (1 - fade) for gain g and cost c of each
// candidate, so q = (g + 0.01 (1 - fade)) / (c + 1 - fade).
TEST(IslandSchedule, steady_gains_are_given_the_shares_of_the_closed_form) {
  constexpr double fade = 0.9, floor = 0.05, rest = 1 - 3 * floor;
  IslandSchedule schedule(3, {.floor = floor, .fade = fade});
  // The second gains as much as the first for five times the cost: an answer counts as four.
  const auto order = play(schedule, {steady(0.03), steady(0.03, 1), steady(0.01)}, 6000);
  const double first = 0.031 / 1.1, second = 0.031 / 5.1, third = 0.011 / 1.1;
  const double sum = first + second + third;
  EXPECT_NEAR(share_of(order, 0, 2000), floor + rest * first / sum, 0.002);
  EXPECT_NEAR(share_of(order, 1, 2000), floor + rest * second / sum, 0.002);
  EXPECT_NEAR(share_of(order, 2, 2000), floor + rest * third / sum, 0.002);
}

TEST(IslandSchedule, every_island_has_its_floor_at_any_time) {
  IslandSchedule schedule(3, {.floor = 0.1});
  const auto order = play(schedule, {steady(0.2), steady(0), steady(0)}, 500, 4);
  for (std::size_t end = 1; end <= order.size(); ++end) {
    const std::vector<std::size_t> now(order.begin(),
                                       order.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_GE(share_of(now, i, 0) * static_cast<double>(end), 0.1 * static_cast<double>(end) - 2);
    }
  }
  EXPECT_GT(share_of(order, 0, 100), 0.7);
}

TEST(IslandSchedule, turns_follow_the_island_that_gains_now) {
  IslandSchedule schedule(2, {});
  const Source early{[](int k) { return k < 60 ? 0.05 : 0.0; }};
  const Source late{[](int k) { return k < 30 ? 0.0 : 0.05; }};
  const auto order = play(schedule, {early, late}, 400);
  EXPECT_GT(share_of({order.begin(), order.begin() + 60}, 0, 0), 0.75);
  EXPECT_GT(share_of(order, 1, 300), 0.75);
}

TEST(IslandSchedule, migrants_raise_the_best_and_earn_nothing) {
  IslandSchedule schedule(2, {.floor = 0});
  schedule.tell(0, commit(0, 1));
  schedule.tell(1, commit(1, 1));
  schedule.tell(1, commit(0, 4));  // arrived from island 0
  EXPECT_DOUBLE_EQ(schedule.shares()[0], 0.5);
  schedule.tell(0, commit(0, 2));
  schedule.tell(1, commit(1, 2));  // twice its own best, but no gain beside the migrant
  EXPECT_GT(schedule.shares()[0], 0.9);
  Commit judged_here = commit(1, 8);
  auto from_other_device = std::make_shared<Candidate>(*judged_here.candidate);
  from_other_device->operator_name = migration_operator;
  judged_here.candidate = from_other_device;
  schedule.tell(1, judged_here);
  EXPECT_GT(schedule.shares()[0], 0.9);
}

}  // namespace
}  // namespace ke
