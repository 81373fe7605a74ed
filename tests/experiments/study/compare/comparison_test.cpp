#include "experiments/study/compare/comparison.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

namespace ke {
namespace {

using ::testing::HasSubstr;

/// std::mt19937_64 is identical everywhere; the standard distributions are not.
class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  double normal() {
    return std::sqrt(-2.0 * std::log(uniform())) * std::cos(2.0 * std::numbers::pi * uniform());
  }
  /// Draws a skewed value with mean 0 and variance 1.
  double exponential() { return -std::log(uniform()) - 1; }

 private:
  std::mt19937_64 engine_;
};

Analysis analysis_of(const std::vector<std::string>& overrides) {
  const auto analysis = analysis_of_canonical("", "test", overrides);
  EXPECT_TRUE(analysis) << analysis.error().message;
  return *analysis;
}

struct Design {
  int tasks = 10;
  int seeds = 5;
  int arms = 2;
  double effect = 0;      ///< effect of all arms but a0
  double arm_spread = 1;  ///< standard deviation of arms on a task
  double (Source::*noise)() = &Source::normal;
};

/// Tasks differ (sd 3), arms differ on tasks (sd 1), seeds scatter (sd 0.7).
std::vector<Observation> study(Source& source, const Design& design) {
  std::vector<Observation> observations;
  for (int task = 0; task < design.tasks; ++task) {
    const double level = 10 + 3 * source.normal();
    for (int arm = 0; arm < design.arms; ++arm) {
      const double own =
          level + (arm == 0 ? 0 : design.effect) + design.arm_spread * (source.*design.noise)();
      for (int seed = 0; seed < design.seeds; ++seed) {
        observations.push_back({fmt::format("a{}", arm), fmt::format("t{}", task), "d", seed,
                                own + 0.7 * (source.*design.noise)()});
      }
    }
  }
  return observations;
}

std::vector<std::string> arm_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(fmt::format("a{}", i));
  return names;
}

ArmComparison compared(const Analysis& analysis, const std::vector<Observation>& observations) {
  auto comparison = compare_arms(analysis, arm_names(8), observations);
  EXPECT_TRUE(comparison) << comparison.error().message;
  return *std::move(comparison);
}

/// Share of null sweeps that call any arm better or worse.
double false_alarms(const Analysis& analysis, const Design& design, int sweeps,
                    std::uint64_t seed) {
  Source source(seed);
  int rejected = 0;
  for (int i = 0; i < sweeps; ++i) {
    bool any = false;
    for (const Contrast& c : compared(analysis, study(source, design)).contrasts) {
      any = any || c.conclusion == Conclusion::better || c.conclusion == Conclusion::worse;
    }
    rejected += any;
  }
  return static_cast<double>(rejected) / sweeps;
}

TEST(CompareLevels, a_thousand_null_sweeps_reject_at_most_5_percent_family_wise) {
  const Design tasks{.tasks = 10, .seeds = 3, .arms = 4};
  Design skewed = tasks;
  skewed.noise = &Source::exponential;
  const auto bootstrap = analysis_of({"reference=a0", "repetitions=200"});
  EXPECT_LE(false_alarms(bootstrap, tasks, 1000, 1), 0.05);
  EXPECT_LE(false_alarms(bootstrap, skewed, 1000, 2), 0.05);
  EXPECT_LE(false_alarms(analysis_of({"reference=a0", "repetitions=200", "test=wilcoxon"}), tasks,
                         1000, 3),
            0.05);
  const Design alike{.tasks = 1, .seeds = 10, .arms = 4, .arm_spread = 0};
  EXPECT_LE(false_alarms(
                analysis_of({"reference=a0", "repetitions=200", "test=mann_whitney", "unit=seed"}),
                alike, 1000, 4),
            0.05);
}

/// Share of studies whose interval contains the true effect.
double coverage(const Analysis& analysis, const Design& design, int studies, std::uint64_t seed) {
  Source source(seed);
  int covered = 0;
  for (int i = 0; i < studies; ++i) {
    const Figure& effect = compared(analysis, study(source, design)).contrasts.front().effect;
    covered += effect.low <= design.effect && design.effect <= effect.high;
  }
  return static_cast<double>(covered) / studies;
}

TEST(CompareLevels, intervals_cover_93_to_97_percent_at_10_and_30_kernels) {
  const auto analysis = analysis_of({"reference=a0", "repetitions=400"});
  for (const auto noise : {&Source::normal, &Source::exponential}) {
    const Design ten{.tasks = 10, .seeds = 3, .effect = 0.4, .noise = noise};
    EXPECT_NEAR(coverage(analysis, ten, 1000, 5), 0.95, 0.02);
    const Design thirty{.tasks = 30, .seeds = 3, .effect = 0.4, .noise = noise};
    EXPECT_NEAR(coverage(analysis, thirty, 500, 6), 0.95, 0.02);
  }
}

TEST(CompareLevels, intervals_over_10_and_30_seeds_cover_too) {
  const auto analysis = analysis_of({"reference=a0", "repetitions=400", "unit=seed"});
  for (const int seeds : {10, 30}) {
    const Design design{.tasks = 1, .seeds = seeds, .effect = 0.4, .arm_spread = 0};
    EXPECT_NEAR(coverage(analysis, design, 1000, 7), 0.95, 0.02) << seeds;
  }
}

TEST(CompareArms, three_seeds_against_three_say_that_significance_is_out_of_reach) {
  Source source(6);
  const Design design{.tasks = 1, .seeds = 3, .effect = 50};
  for (const std::string test : {"paired_hierarchical_bootstrap", "wilcoxon", "mann_whitney"}) {
    const auto result =
        compared(analysis_of({"reference=a0", "unit=seed", "test=" + test}), study(source, design));
    ASSERT_EQ(result.contrasts.size(), 1u);
    EXPECT_FALSE(result.contrasts[0].p) << test;
    EXPECT_EQ(result.contrasts[0].conclusion, Conclusion::out_of_reach) << test;
    ASSERT_FALSE(result.notes.empty());
    EXPECT_THAT(result.notes.back(), HasSubstr("p < 0.05 is out of reach")) << test;
  }
}

TEST(CompareArms, finds_what_is_there_and_says_which_way) {
  Source source(7);
  const auto up = compared(analysis_of({"reference=a0"}), study(source, {.effect = 5}));
  EXPECT_EQ(up.contrasts[0].conclusion, Conclusion::better);
  EXPECT_NEAR(up.contrasts[0].effect.value, 5, 1.5);
  EXPECT_GT(up.contrasts[0].a12, 0.7);
  const auto down = compared(analysis_of({"reference=a0"}), study(source, {.effect = -5}));
  EXPECT_EQ(down.contrasts[0].conclusion, Conclusion::worse);
  EXPECT_LT(down.contrasts[0].a12, 0.3);
}

/// Two arms with these values, one seed per task.
std::vector<Observation> pairs(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < a.size(); ++i) {
    observations.push_back({"a0", fmt::format("t{}", i), "d", 1, a[i]});
    observations.push_back({"a1", fmt::format("t{}", i), "d", 1, b[i]});
  }
  return observations;
}

TEST(CompareArms, fewer_evaluations_are_better_and_the_ratio_says_so) {
  const auto result =
      compared(analysis_of({"reference=a0", "endpoint=evaluations_to_target", "target=1"}),
               pairs({100, 200, 400, 80, 160, 320, 640, 90}, {50, 100, 200, 40, 80, 160, 320, 45}));
  EXPECT_EQ(result.contrasts[0].conclusion, Conclusion::better);
  EXPECT_NEAR(result.contrasts[0].effect.value, 0.5, 1e-12);
  EXPECT_EQ(result.contrasts[0].p, 2.0 / 256);  // all 8 signs equal
}

TEST(CompareArms, equal_arms_are_called_equivalent_only_with_a_declared_margin) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<double> b = {1.01, 1.99, 3.01, 3.99, 5.01, 5.99, 7.01, 7.99};
  EXPECT_EQ(compared(analysis_of({"reference=a0"}), pairs(a, b)).contrasts[0].conclusion,
            Conclusion::undecided);
  EXPECT_EQ(compared(analysis_of({"reference=a0", "min_effect=0.1"}), pairs(a, b))
                .contrasts[0]
                .conclusion,
            Conclusion::equivalent);
}

TEST(CompareArms, one_task_says_nothing_of_others_and_ranks_need_five) {
  Source source(8);
  const auto one =
      compared(analysis_of({"reference=a0"}), study(source, {.tasks = 1, .seeds = 8, .arms = 3}));
  EXPECT_THAT(one.notes, ::testing::Contains(HasSubstr("nothing can be concluded about other")));
  EXPECT_THAT(one.notes, ::testing::Contains(HasSubstr("ranks: they need 5 tasks")));
  EXPECT_FALSE(one.ranks);
  EXPECT_TRUE(
      compared(analysis_of({"reference=a0"}), study(source, {.tasks = 5, .arms = 3})).ranks);
}

TEST(CompareArms, choices_are_judged_on_the_tasks_left_out) {
  const auto result = compared(analysis_of({"reference=a0", "scale=log"}),
                               pairs({100, 100, 100, 100}, {200, 200, 200, 50}));
  ASSERT_EQ(result.held_out.size(), 4u);
  EXPECT_EQ(result.held_out[3].task, "t3");
  EXPECT_EQ(result.held_out[3].arm, "a1");
  EXPECT_NEAR(result.held_out[3].gain, -std::numbers::ln2, 1e-12);
  EXPECT_NEAR(mean_gain(result.held_out), std::numbers::ln2 / 2, 1e-12);
}

TEST(CompareArms, refuses_values_without_a_logarithm_and_an_absent_reference) {
  const auto log =
      compare_arms(analysis_of({"reference=a0", "scale=log"}), arm_names(2), pairs({1, 0}, {1, 1}));
  ASSERT_FALSE(log);
  EXPECT_THAT(log.error().message, HasSubstr("arm 'a0', task 't1', seed 1: best_seen = 0 has no "
                                             "logarithm"));
  const auto absent = compare_arms(analysis_of({"reference=x"}), arm_names(2), pairs({1}, {1}));
  ASSERT_FALSE(absent);
  EXPECT_THAT(absent.error().message, HasSubstr("reference arm 'x'"));
}

TEST(CompareArms, seeds_that_only_one_arm_has_are_not_paired) {
  auto observations = pairs({1, 2, 3, 4, 5, 6}, {2, 3, 4, 5, 6, 7});
  observations.push_back({"a1", "t0", "d", 2, 1000});
  const auto result = compared(analysis_of({"reference=a0"}), observations);
  EXPECT_EQ(result.contrasts[0].pairs, 6u);
  EXPECT_EQ(result.contrasts[0].effect.value, 1);
}

TEST(FastShares, count_tasks_above_a_speedup_and_missing_ones_as_slow) {
  const Analysis analysis = analysis_of({"endpoint=best_verified_speedup", "reference=a0"});
  const auto seen = [](const std::string& arm, const std::string& task, int seed, double value) {
    return Observation{arm, task, "d", seed, value};
  };
  const ArmComparison comparison = compared(
      analysis, {seen("a0", "t0", 0, 1.0), seen("a0", "t1", 0, 3.0), seen("a0", "t2", 0, 0.5),
                 seen("a0", "t3", 0, 1.6), seen("a1", "t0", 0, 2.5), seen("a1", "t0", 1, 1.2),
                 seen("a1", "t1", 0, 1.7)});
  ASSERT_EQ(comparison.arms.size(), 2);
  // Computed by hand: of four tasks, a0 has two above 1 and 1.5 and one above 2; a1 has 2, 1.5 and
  // 0.5.
  EXPECT_THAT(comparison.arms[0].fast, testing::ElementsAre(0.5, 0.5, 0.25));
  EXPECT_THAT(comparison.arms[1].fast, testing::ElementsAre(0.5, 0.375, 0.125));
}

TEST(Groups, have_speedups_of_their_own_tasks) {
  const Analysis analysis = analysis_of({"endpoint=best_verified_speedup", "reference=a0"});
  const auto seen = [](const std::string& arm, const std::string& task, double value,
                       const std::string& group, std::optional<double> sol) {
    return Observation{arm, task, "d", 0, value, false, group, sol};
  };
  const ArmComparison comparison =
      compared(analysis, {seen("a0", "t0", 2, "level 1", 0.6), seen("a0", "t1", 8, "level 1", 0.8),
                          seen("a0", "t2", 3, "level 2", {}), seen("a1", "t0", 1, "level 1", {}),
                          seen("a1", "t2", 1.2, "level 2", {})});
  const auto& groups = comparison.arms[0].groups;
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].name, "level 1");
  EXPECT_EQ(groups[0].tasks, 2u);
  EXPECT_DOUBLE_EQ(groups[0].mean, analysis.log_scale ? 4 : 5);
  EXPECT_DOUBLE_EQ(groups[1].mean, 3);
  EXPECT_THAT(groups[0].fast, testing::ElementsAre(1, 1, 0.5));
  EXPECT_THAT(comparison.arms[1].groups[0].fast, testing::ElementsAre(0, 0, 0));
  EXPECT_THAT(comparison.arms[1].groups[1].fast, testing::ElementsAre(1, 0, 0));
  EXPECT_DOUBLE_EQ(comparison.arms[0].sol.value(), 0.7);
  EXPECT_EQ(comparison.arms[0].sol_runs, 2u);
  EXPECT_FALSE(comparison.arms[1].sol);
  EXPECT_TRUE(compared(analysis, {seen("a0", "t0", 2, "level 1", {})}).arms[0].groups.empty());
}

TEST(FastShares, are_those_of_verified_speedups_alone) {
  const Analysis analysis = analysis_of({"reference=a0"});
  EXPECT_TRUE(compared(analysis, {{"a0", "t0", "d", 0, 2.0}}).arms[0].fast.empty());
}

}  // namespace
}  // namespace ke
