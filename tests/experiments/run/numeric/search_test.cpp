#include <gtest/gtest.h>

#include <cmath>

#include "core/numeric/evolution_strategy.hpp"
#include "tests/support/numeric_run.hpp"

namespace ke {
namespace {

using test::NumericKind;
using test::NumericRun;

struct Ended {
  StopRecord stop;
  std::vector<Digest> hashes;
};

Ended run_with(MemoryHistory& history, const NumericRun& run, const StopToken& stop) {
  SearchObserver observer;
  const CountingStop never;
  NumericSearch search(test::make_plan(run), {history, observer, stop, never});
  auto ended = search.run();
  EXPECT_TRUE(ended);
  Ended result{*ended, {}};
  for (const StepRecord& step : history.steps()) result.hashes.push_back(step.history_hash);
  EXPECT_TRUE(history.finish(result.stop));
  return result;
}

NumericRun small(NumericKind kind, std::int64_t seed = 1) {
  NumericRun run{kind, "rastrigin", 10};
  run.iterations = 12;
  run.seed = seed;
  return run;
}

class NumericSearchOf : public testing::TestWithParam<NumericKind> {};

TEST_P(NumericSearchOf, equal_seeds_give_equal_histories_and_others_do_not) {
  const CountingStop never;
  MemoryHistory a, b, c;
  const Ended first = run_with(a, small(GetParam()), never);
  const Ended second = run_with(b, small(GetParam()), never);
  const Ended other = run_with(c, small(GetParam(), 2), never);
  EXPECT_EQ(first.hashes, second.hashes);
  EXPECT_EQ(first.stop.history_hash, second.stop.history_hash);
  EXPECT_NE(first.hashes.front(), other.hashes.front());
}

TEST_P(NumericSearchOf, an_interrupted_run_goes_on_to_the_same_history) {
  const CountingStop never;
  MemoryHistory whole, cut;
  const Ended expected = run_with(whole, small(GetParam()), never);
  const CountingStop after_some(5);
  EXPECT_EQ(run_with(cut, small(GetParam()), after_some).stop.reason, "interrupted");
  EXPECT_LT(cut.steps().size(), whole.steps().size());
  const Ended resumed = run_with(cut, small(GetParam()), never);
  EXPECT_EQ(resumed.hashes, expected.hashes);
  EXPECT_EQ(resumed.stop.history_hash, expected.stop.history_hash);
}

INSTANTIATE_TEST_SUITE_P(All, NumericSearchOf,
                         testing::Values(NumericKind::gaussian, NumericKind::line,
                                         NumericKind::cma_me, NumericKind::cma_mae));

TEST(NumericSearch, refuses_a_history_of_other_content) {
  const CountingStop never;
  MemoryHistory history;
  run_with(history, small(NumericKind::gaussian), never);
  NumericRun other = small(NumericKind::gaussian);
  other.sigma = 0.25;  // the same header with a changed parameter, as after a change of the program
  SearchObserver observer;
  NumericSearch search(test::make_plan(other), {history, observer, never, never});
  const auto ended = search.run();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message,
            "batch 0 computed again differs from the stored history; the run was made by another "
            "version");
}

TEST(NumericSearch, stops_before_the_budget_is_exceeded) {
  const CountingStop never;
  MemoryHistory history;
  SearchObserver observer;
  NumericPlan plan = test::make_plan(small(NumericKind::gaussian));
  plan.evaluations = 3 * 540 + 539;
  NumericSearch search(std::move(plan), {history, observer, never, never});
  const auto ended = search.run();
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->reason, "budget");
  EXPECT_EQ(ended->evaluations, 3 * 540);
}

TEST(NumericSearch, keeps_bounded_solutions_inside) {
  const CountingStop never;
  for (const NumericKind kind : {NumericKind::gaussian, NumericKind::line, NumericKind::cma_me}) {
    MemoryHistory history;
    SearchObserver observer;
    NumericRun run{kind, "arm", 6};
    run.iterations = 30;
    run.sigma = 2;
    NumericSearch search(test::make_plan(run), {history, observer, never, never});
    ASSERT_TRUE(search.run());
    for (std::size_t slot = 0; slot < search.elites().filled(); ++slot) {
      for (const double x : search.elites().solution(slot)) EXPECT_LE(std::abs(x), 3.1415926536);
    }
  }
}

// An ellipsoid with axes up to 1e6 apart, turned by pairs to need the full covariance of CMA-ES.
// [Hansen2016] needs about 1e4 evaluations in 8 dimensions.
double ellipsoid(std::span<const double> x, bool turned) {
  double sum = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::size_t other = (i + 4) % 8;
    const double y = turned ? (0.6 * x[i] + (i < 4 ? 0.8 : -0.8) * x[other]) : x[i];
    sum += std::pow(10.0, 6.0 * static_cast<double>(i) / 7) * y * y;
  }
  return sum;
}

double minimise(EvolutionStrategy& strategy, bool turned, int generations) {
  NormalSource random({3, 0, 0, 0, Purpose::test});
  std::vector<double> solutions(16 * 8);
  double best = 1e300;
  for (int g = 0; g < generations; ++g) {
    strategy.ask(random, solutions);
    std::vector<double> costs(16);
    std::vector<std::uint32_t> order(16);
    for (std::uint32_t i = 0; i < 16; ++i) {
      order[i] = i;
      costs[i] = ellipsoid(std::span(solutions).subspan(i * 8, 8), turned);
      best = std::min(best, costs[i]);
    }
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return costs[a] < costs[b]; });
    strategy.tell({solutions, 8}, order, 8);
  }
  return best;
}

TEST(EvolutionStrategy, adapts_to_a_turned_ellipsoid_with_full_covariance) {
  const SearchSpace space{8, 1, -INFINITY, INFINITY};
  const auto full = make_full_cma(space, {16, 0.5, RankOne::standard});
  full->reset(std::vector<double>(8, 1.0));
  EXPECT_LT(minimise(*full, true, 1000), 1e-10);
}

TEST(EvolutionStrategy, adapts_to_a_straight_ellipsoid_with_diagonal_covariance) {
  const SearchSpace space{8, 1, -INFINITY, INFINITY};
  const auto diagonal = make_separable_cma(space, {16, 0.5, RankOne::standard});
  diagonal->reset(std::vector<double>(8, 1.0));
  EXPECT_LT(minimise(*diagonal, false, 600), 1e-10);
}

// Under ranking by the first coordinate only, the covariance of the samples must stay symmetric
// around the mean and positive definite: its Cholesky factor must exist for thousands of
// generations.
TEST(EvolutionStrategy, stays_sound_under_selection_of_one_parent) {
  const SearchSpace space{8, 0, -INFINITY, INFINITY};
  const auto full = make_full_cma(space, {16, 0.5});
  full->reset(std::vector<double>(8, 0.0));
  NormalSource random({4, 0, 0, 0, Purpose::test});
  std::vector<double> solutions(16 * 8);
  std::vector<std::uint32_t> order(16);
  for (std::uint32_t i = 0; i < 16; ++i) order[i] = i;
  for (int g = 0; g < 2000 && !full->degenerate(); ++g) {
    full->ask(random, solutions);
    full->tell({solutions, 8}, order, 1);
    for (const double x : solutions) ASSERT_TRUE(std::isfinite(x));
  }
}

}  // namespace
}  // namespace ke
