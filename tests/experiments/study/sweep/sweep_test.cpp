#include "experiments/study/sweep/sweep.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "experiments/study/sweep/rules.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
namespace fs = std::filesystem;

class SweepFile : public ::testing::Test {
 protected:
  void SetUp() override {
    write("base.yaml",
          "budget: {evaluations: 60}\n"
          "device: {kind: function, function: sphere, dimensions: 4}\n"
          "archive: {axes: [{measure: m0, bins: 4}, {measure: m1, bins: 4}]}\n"
          "operators: {knob_step: 4, knob_crossover: 2, random_restart: 1}\n");
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ + "/" + name) << text;
  }
  Result<Sweep> read(const std::string& text, const std::vector<std::string>& overrides = {}) {
    write("s.yaml", "schema: kernelevolve-sweep/1\nbase: base.yaml\n" + text);
    return read_sweep(folder_ + "/s.yaml", overrides);
  }
  std::string error_of(const std::string& text) {
    const auto sweep = read(text);
    return sweep ? "" : sweep.error().message;
  }
  static std::vector<std::string> names(const Sweep& sweep) {
    std::vector<std::string> names;
    for (const SweepArm& arm : sweep.arms) names.push_back(arm.spec.name);
    return names;
  }
  test::TemporaryFolder temporary_;
  std::string folder_ = temporary_.text();
};

TEST_F(SweepFile, makes_a_run_of_every_arm_task_and_seed) {
  const auto sweep = read(
      "tasks: [sphere, rastrigin]\nseeds: 1..3\n"
      "arms:\n  default: {}\n  random: {strategy: random}\n");
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_THAT(names(*sweep), ElementsAre("default", "random"));
  EXPECT_EQ(sweep->analysis.reference, "default");
  const auto runs = runs_of(*sweep);
  ASSERT_EQ(runs.size(), 12u);
  EXPECT_EQ(runs[0].file, "default.sphere.s1.kev");
  EXPECT_EQ(runs[11].file, "random.rastrigin.s3.kev");
  EXPECT_EQ(sweep->arms[1].experiments[0].strategy, "random");
}

TEST_F(SweepFile, combines_zip_rows_and_grid_points_where_when_holds) {
  const auto sweep = read(
      "zip: {islands.count: [1, 2], archive.axes.1.bins: [8, 4]}\n"
      "grid:\n"
      "  islands.lag: [0, 2]\n"
      "  islands.migration.every: {values: [5, 50], when: {islands.count: [2, 4]}}\n");
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_THAT(names(*sweep),
              ElementsAre("count_1-bins_8-lag_0", "count_1-bins_8-lag_2",
                          "count_2-bins_4-lag_0-every_5", "count_2-bins_4-lag_0-every_50",
                          "count_2-bins_4-lag_2-every_5", "count_2-bins_4-lag_2-every_50"));
  EXPECT_EQ(sweep->arms[5].experiments[0].islands.migrate_every, 50);
  EXPECT_EQ(sweep->arms[5].experiments[0].islands.each.front().lag, 2);
}

TEST_F(SweepFile, merges_maps_deeply_and_replaces_all_else) {
  write("more.yaml", "islands: {lag: 1}\noperators: {flag_step: 1}\n");
  const auto sweep = read(
      "include: more.yaml\n"
      "arms:\n  a: {islands: {migration: {every: 7}}}\n  b: {operators!: {random_restart: 1}}\n"
      "  c: {operators.knob_step: ~}\n");
  ASSERT_TRUE(sweep) << sweep.error().message;
  const Experiment& a = sweep->arms[0].experiments[0];
  EXPECT_EQ(a.islands.each.front().lag, 1);
  EXPECT_EQ(a.islands.migrate_every, 7);
  EXPECT_EQ(a.operators.size(), 4u);
  ASSERT_EQ(sweep->arms[1].experiments[0].operators.size(), 1u);
  EXPECT_EQ(sweep->arms[1].experiments[0].operators[0].name, "random_restart");
}

TEST_F(SweepFile, overrides_reach_the_sweep_and_all_arms) {
  const auto sweep = read("arms: {a: {}, b: {strategy: random}}\nseeds: 1..9\n",
                          {"seeds=[4]", "budget.evaluations=33", "analysis.alpha=0.01"});
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_THAT(sweep->seeds, ElementsAre(4));
  EXPECT_EQ(sweep->arms[1].experiments[0].limits.evaluations, 33);
  EXPECT_EQ(sweep->analysis.alpha, 0.01);
}

TEST_F(SweepFile, plan_changes_with_whatever_is_fixed_before_the_runs) {
  const std::string text = "arms: {a: {}, b: {strategy: random}}\n";
  const Digest plan = read(text)->plan_hash();
  EXPECT_EQ(read(text + "name: other\n")->plan_hash(), plan);
  EXPECT_NE(read(text + "seeds: 2\n")->plan_hash(), plan);
  EXPECT_NE(read(text + "analysis: {alpha: 0.01}\n")->plan_hash(), plan);
  EXPECT_NE(read(text, {"islands.lag=0"})->plan_hash(), plan);
}

TEST_F(SweepFile, a_chain_is_the_tasks_of_an_arm_and_seed_in_their_order) {
  const std::string text =
      "tasks: [sphere, rastrigin]\nseeds: 1..2\narms: {a: {}, b: {memory: {lessons: 2}}}\n"
      "chain: tasks\nanalysis: {unit: chain}\n";
  const auto sweep = read(text);
  ASSERT_TRUE(sweep) << sweep.error().message;
  std::vector<std::string> files;
  for (const auto& chain : chains_of(*sweep)) {
    ASSERT_EQ(chain.size(), 2u);
    files.push_back(chain[0].file + " " + chain[1].file);
  }
  EXPECT_THAT(
      files,
      ElementsAre("a.sphere.s1.kev a.rastrigin.s1.kev", "b.sphere.s1.kev b.rastrigin.s1.kev",
                  "a.sphere.s2.kev a.rastrigin.s2.kev", "b.sphere.s2.kev b.rastrigin.s2.kev"));
  EXPECT_EQ(sweep->arms[1].experiments[1].memory->sha256, sha256("").hex());
  EXPECT_EQ(chains_of(*read("seeds: 1..3\n")).size(), 3u);
}

struct Wrong {
  const char* text;
  const char* message;
};

TEST_F(SweepFile, refuses_with_place_and_all_errors_at_once) {
  const Wrong cases[] = {
      {"arms: {a: {islands.count: 0}}\n", "s.yaml:3:27: 'islands.count' = 0 is outside [1, 1024]"},
      {"arms: {a: {island.count: 1}}\n", "unknown key 'island'; did you mean 'islands'?"},
      {"arms: {a: {seed: 2}}\n", "s.yaml:3:18: arm 'a' sets 'seed', which belongs to the sweep"},
      {"armz: {a: {}}\n", "s.yaml:3:1: unknown key 'armz'; did you mean 'arms'?"},
      {"arms: {'a b': {}}\n", "s.yaml:3:8: arm 'a b' must be letters"},
      {"arms: {a: 1}\n", "s.yaml:3:11: arm 'a' must be a map of keys"},
      {"zip: {islands.count: [1, 2], islands.lag: [0]}\n",
       "s.yaml:3:30: 'islands.lag' has 1 values"},
      {"grid: {islands.lag: 2}\n", "s.yaml:3:21: 'islands.lag' must be a list of values"},
      {"grid: {islands.lag: {values: [1], if: 2}}\n", "s.yaml:3:35: unknown key 'if'"},
      {"grid: {islands.lag: {values: [1, 0], when: {island.count: 2}}}\n",
       "s.yaml:3:45: 'when' names 'island.count', which is no option"},
      {"arms: {a: {islands.lag: 1}}\ngrid: {islands.lag: [1, 2]}\n",
       "s.yaml:4:8: 'islands.lag' is set by arm 'a' too"},
      {"arms: {a: {}, b: {budget.evaluations: 61}}\n",
       "arm 'b' has a budget of 61 evaluations, 'a' has 60"},
      {"currency: proposals\n", "budget.proposals has no limit"},
      {"seeds: [1, 2, 1]\n", "two runs would be base.sphere.s1.kev"},
      {"tasks: [sphere, sphere]\n", "task 'sphere' or seed 1 is there twice"},
      {"hold: [cells]\n", "s.yaml:3:7: 'hold' = cells is not one of total_cells"},
      {"hold: total_cells\ngrid: {islands.count: [1, 2]}\n",
       "arm 'count_2' has 2 islands with 32 cells in all, 'count_1' has 16"},
      {"arms: {a: {}, b: {islands.lag: 1}}\nanalysis: {reference: bb}\n",
       "s.yaml:4:23: 'analysis.reference' = bb is no arm; did you mean"},
      {"analysis: {endpoint: evaluations_to_target}\n", "'analysis.target' is missing"},
      {"analysis: {test: t_test}\n", "s.yaml:3:18: 'analysis.test' = t_test is not one of"},
      {"tasks: [spere]\n", "s.yaml:3:"},
      {"analysis: {unit: chain}\n", "'analysis.unit' = chain, though the sweep has none"},
      {"chain: seeds\n", "s.yaml:3:8: 'chain' = seeds is not one of none | tasks"},
      {"chain: tasks\ntasks: [sphere, rastrigin]\narms: {a: {memory.lessons: 2}}\n",
       "'analysis.unit' = task, though runs of a chain depend on each other"},
      {"chain: tasks\nanalysis: {unit: chain}\narms: {a: {memory.lessons: 2}}\n",
       "'chain: tasks' needs two tasks"},
      {"chain: tasks\ntasks: [sphere, rastrigin]\nanalysis: {unit: chain}\n",
       "'chain: tasks' needs an arm with a memory"},
      {"chain: tasks\ntasks: [sphere, rastrigin]\nanalysis: {unit: chain}\n"
       "arms: {a: {memory: {snapshot: s.jsonl}}}\n",
       "s.yaml:6:31: 'memory.snapshot' is not for a sweep with 'chain: tasks'"},
  };
  for (const Wrong& wrong : cases) {
    EXPECT_THAT(error_of(wrong.text), HasSubstr(wrong.message)) << wrong.text;
  }
  const std::string both = error_of("arms: {a: {islands.count: 0}, b: {islands.lag: -1}}\n");
  EXPECT_THAT(both, HasSubstr("islands.count"));
  EXPECT_THAT(both, HasSubstr("islands.lag"));
}

TEST_F(SweepFile, arms_that_differ_in_more_than_they_declare_are_found) {
  const auto plain = read(
      "arms: {a: {}, b: {strategy.kind: random}, c: {islands.lag: 1}, d: {islands.schedule: "
      "bandit}}\n");
  ASSERT_TRUE(plain) << plain.error().message;
  for (const ArmDiff& diff : diff_arms(*plain)) EXPECT_TRUE(diff.proven()) << diff.arm;
  // A base without operators has the default ones; naming one operator disables them.
  write("base.yaml", "device: {kind: function}\n");
  const auto hidden =
      read("arms: {a: {}, b: {operators.knob_crossover: 0, operators.knob_step: 4}}\n");
  ASSERT_TRUE(hidden) << hidden.error().message;
  const auto diffs = diff_arms(*hidden);
  ASSERT_EQ(diffs.size(), 1u);
  EXPECT_FALSE(diffs[0].proven());
  EXPECT_THAT(text_of(diffs, "a"), HasSubstr("# not declared:\n-operators.flag_step.weight = 1\n"
                                             "+operators.flag_step.weight = 0\n"));
}

TEST_F(SweepFile, an_operator_without_weight_is_one_line_of_the_difference) {
  const auto sweep = read("arms: {a: {}, b: {operators.knob_step: 0}}\n");
  ASSERT_TRUE(sweep) << sweep.error().message;
  EXPECT_GT(diff_arms(*sweep)[0].differences.size(), 1u);  // weight, and options that are absent
  EXPECT_EQ(text_of(diff_arms(*sweep), "a"),
            "--- a\n+++ b\n-operators.knob_step.weight = 4\n+operators.knob_step.weight = 0\n");
}

TEST_F(SweepFile, labels_name_arms_that_there_are) {
  const auto sweep = read("arms: {a: {}, b: {seed_count: 1}}\nlabels: {c: Third}\n");
  ASSERT_FALSE(sweep);
  EXPECT_THAT(sweep.error().message, HasSubstr("'labels.c' is no arm"));
}

TEST_F(SweepFile, a_declared_factor_bounds_all_arms) {
  const auto sweep = read(
      "factor: [strategy]\narms: {a: {}, b: {strategy: random}, c: {islands.lag: 1}, d: {}}\n");
  ASSERT_TRUE(sweep) << sweep.error().message;
  const auto diffs = diff_arms(*sweep);
  EXPECT_TRUE(diffs[0].proven());
  EXPECT_FALSE(diffs[1].proven());
  EXPECT_FALSE(diffs[2].proven()) << "an arm that differs in nothing is no arm";
}

}  // namespace
}  // namespace ke
