#include "experiments/run/config/experiment.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "experiments/run/assemble.hpp"
#include "tests/experiments/read_experiments.hpp"

namespace ke {
namespace {

using test::experiment_of;
using ::testing::HasSubstr;
using ::testing::Not;

std::string error_of(std::string_view text, const std::vector<std::string>& overrides = {}) {
  const auto experiment = experiment_of(text, overrides);
  return experiment ? "" : experiment.error().message;
}

TEST(Experiment, needs_no_more_than_a_task) {
  const auto experiment = experiment_of("task: softmax\n");
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->name, "e");
  EXPECT_EQ(experiment->tasks, std::vector<std::string>{"softmax"});
  EXPECT_EQ(experiment->limits.evaluations, 200);
  EXPECT_EQ(experiment->operators.size(), 4u);
}

TEST(Experiment, reads_lists_of_tasks_and_ranges_of_seeds) {
  const auto experiment = experiment_of("task: [softmax, sgemm]\nseed: [7, 1..3]\n");
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->tasks.size(), 2u);
  EXPECT_EQ(experiment->seeds, (std::vector<std::int64_t>{7, 1, 2, 3}));
}

TEST(Experiment, operators_that_are_not_named_are_off) {
  const auto experiment =
      experiment_of("task: a\noperators: {knob_step: 3, flag_step: {weight: 0.5}}\n");
  ASSERT_TRUE(experiment) << experiment.error().message;
  ASSERT_EQ(experiment->operators.size(), 2u);
  EXPECT_EQ(experiment->operators[0].name, "flag_step");
  EXPECT_EQ(experiment->operators[0].weight, 0.5);
  EXPECT_EQ(experiment->operators[1].weight, 3);
}

struct Wrong {
  const char* text;
  const char* message;
};
class ExperimentRefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(ExperimentRefuses, with_place_value_and_range) {
  EXPECT_THAT(error_of(GetParam().text), HasSubstr(GetParam().message));
}
INSTANTIATE_TEST_SUITE_P(
    Errors, ExperimentRefuses,
    ::testing::Values(
        Wrong{"seed: 1\n", "e.yaml:1:1: 'task' is missing"},
        Wrong{"task: a\nbudjet: {evaluations: 1}\n",
              "e.yaml:2:1: unknown key 'budjet'; did you mean 'budget'?"},
        Wrong{"task: a\nislands: {migration: {every: 0}}\n",
              "e.yaml:2:30: 'islands.migration.every' = 0 is outside [1, 1000000]"},
        Wrong{"task: a\nislands: {count: two}\n",
              "'islands.count' = two is not an integer in [1, 1024]"},
        Wrong{"task: a\nislands: {count: '2'}\n", "'islands.count' = 2 is not an integer"},
        Wrong{"task: a\nislands: [1]\n", "e.yaml:2:10: 'islands' must be a map"},
        Wrong{"task: a\nislands: {topology: rign}\n", "did you mean 'ring'?"},
        Wrong{"task: a\nstrategy: map_elite\n", "'strategy.kind' = map_elite is not one of"},
        Wrong{"task: a\nstrategy: {kind: random, parent: rank}\n", "unknown key 'strategy.parent'"},
        Wrong{"task: a\noperators: {knob_stepp: 1}\n",
              "unknown key 'operators.knob_stepp'; did you mean 'knob_step'?"},
        Wrong{"task: a\noperators: {knob_step: 0}\n", "has no operator with a weight above 0"},
        Wrong{"task: a\noperators: {knob_step: {distance: 9}}\n", "= 9 is outside [1, 8]"},
        Wrong{"task: a\nseed: -1\n", "'seed' = -1 is not an integer in [0, 1000000000]"},
        Wrong{"task: a\nseed: 3..1\n", "'seed' = 3..1 is not an integer"},
        Wrong{"task: a\nsafety: {wall: 5 weeks}\n", "is not a duration such as 90s"},
        Wrong{"task: a\nname: ../x\n", "must be letters, digits"},
        Wrong{"task: a\nbudget: {evaluations: 0}\n", "'budget' has no limit"},
        Wrong{"task: a\nacceptance: {error: 0.5}\n",
              "'acceptance.error' = 0.5 is outside [1e-06, 0.2]"},
        Wrong{"task: a\nschema: kernelevolve/9\n",
              "'schema' = kernelevolve/9 is not one of kernelevolve/1"}));

TEST(Experiment, all_errors_come_at_once) {
  const std::string errors = error_of("seed: x\nislands: {count: 0, lagg: 1}\n");
  EXPECT_THAT(errors, HasSubstr("'task' is missing"));
  EXPECT_THAT(errors, HasSubstr("'seed' = x"));
  EXPECT_THAT(errors, HasSubstr("'islands.count' = 0 is outside"));
  EXPECT_THAT(errors, HasSubstr("unknown key 'islands.lagg'"));
}

TEST(Overrides, change_values_and_are_named_in_errors) {
  const auto experiment = experiment_of("task: a\n", {"islands.count=5", "task=[b, c]"});
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->islands.count, 5);
  EXPECT_EQ(experiment->tasks.size(), 2u);
  EXPECT_THAT(error_of("task: a\n", {"islands.count=0"}),
              HasSubstr("command line: 'islands.count' = 0 is outside [1, 1024]"));
  EXPECT_THAT(error_of("task: a\n", {"islnds.count=1"}),
              HasSubstr("command line: unknown key 'islnds'; did you mean 'islands'?"));
}

TEST(Overrides, must_have_the_form_of_one) {
  EXPECT_THAT(error_of("task: a\n", {"islands.count"}),
              HasSubstr("is not of the form path.to.key=value"));
  EXPECT_THAT(error_of("task: a\n", {"islands..count=1"}), HasSubstr("names no key"));
  EXPECT_THAT(error_of("task: a\n", {"=1"}), HasSubstr("names no key"));
  EXPECT_THAT(error_of("task: a\n", {"task=[b"}), HasSubstr("command line"));
}

TEST(Overrides, a_new_kind_starts_its_section_afresh) {
  const auto experiment = experiment_of("task: a\nstrategy: {kind: map_elites, parent: rank}\n",
                                        {"strategy.kind=random"});
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->strategy, "random");
  EXPECT_EQ(experiment_of("task: a\n", {"strategy=random"})->strategy, "random");
}

TEST(Overrides, a_new_kind_of_a_part_leaves_what_is_beside_it) {
  const auto experiment =
      experiment_of("task: a\noperators: {knob_step: 3, selection: {kind: ucb, exploration: 2}}\n",
                    {"operators.selection.kind=adaptive_pursuit"});
  ASSERT_TRUE(experiment) << experiment.error().message;
  ASSERT_EQ(experiment->operators.size(), 1u);
  EXPECT_EQ(experiment->operators[0].name, "knob_step");
  EXPECT_EQ(experiment->operators[0].weight, 3);
}

TEST(Overrides, a_number_for_an_operator_is_its_weight) {
  const auto experiment =
      experiment_of("task: a\noperators: {knob_step: {weight: 1, distance: 3}, flag_step: 1}\n",
                    {"operators.knob_step=7", "operators.flag_step=0"});
  ASSERT_TRUE(experiment) << experiment.error().message;
  ASSERT_EQ(experiment->operators.size(), 1u);
  EXPECT_EQ(experiment->operators[0].weight, 7);
  EXPECT_THAT(experiment->canonical_text, HasSubstr("operators.knob_step.distance = 3\n"));
}

TEST(ConfigId, does_not_depend_on_form_order_defaults_task_or_seed) {
  const auto a =
      experiment_of("task: a\nseed: 1\noperators: {knob_step: 4}\nislands: {count: 2}\n");
  const auto b = experiment_of(
      "islands: {}\noperators: {knob_step: {weight: 4.0}}\nseed: 9\ntask: b\nname: other\n");
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->canonical_text, b->canonical_text);
  EXPECT_EQ(a->config_id(), b->config_id());
  EXPECT_NE(a->config_id(), experiment_of("task: a\nislands: {count: 3}\n")->config_id());
}

TEST(ConfigId, does_not_depend_on_the_gpus_that_a_run_is_spread_over) {
  const auto one = experiment_of("task: a\ndevice: {kind: cuda}\n");
  const auto two = experiment_of("task: a\ndevice: {kind: cuda, gpus: [0, 1]}\n");
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->config_id(), two->config_id());
}

TEST(ConfigId, canonical_text_can_be_read_back) {
  const auto first = experiment_of(
      "task: a\nislands: {count: 3, migration: {select: uniform}}\nstrategy: random\n"
      "safety: {wall: 2min}\noperators: {random_restart: 1}\n");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(test::read_back(*first, "a").canonical_text, first->canonical_text);
}

constexpr const char* bred_and_scheduled =
    "task: a\noperators: {llm_draft: 1}\nllm: {kind: command, program: [sh]}\nhints: {size: 5}\n"
    "islands: {count: 3, schedule: bandit}\n";

TEST(ConfigId, has_schedules_and_hints_only_where_a_run_has_them) {
  const auto with = experiment_of(bred_and_scheduled);
  ASSERT_TRUE(with) << with.error().message;
  EXPECT_THAT(with->canonical_text, HasSubstr("islands.schedule.floor = 0.1\n"));
  EXPECT_THAT(with->canonical_text, HasSubstr("hints.size = 5\n"));
  EXPECT_EQ(test::read_back(*with, "a").canonical_text, with->canonical_text);
  for (const char* islands : {"", "islands: {lag: 1}\n"}) {
    const auto without = experiment_of(std::string("task: a\n") + islands);
    ASSERT_TRUE(without);
    EXPECT_EQ(without->canonical_text.find("islands.schedule"), std::string::npos);
    EXPECT_EQ(without->canonical_text.find("hints"), std::string::npos);
  }
}

TEST(Islands, floors_of_a_schedule_fit_into_one) {
  const std::vector<std::string> most{"islands.schedule.floor=0.333333"};
  const auto all = experiment_of(bred_and_scheduled, most);
  ASSERT_TRUE(all) << all.error().message;
  EXPECT_EQ(all->islands.schedule->floor, 0.333333);
  EXPECT_FALSE(
      experiment_of(bred_and_scheduled, {"islands.schedule=round_robin"})->islands.schedule);
  EXPECT_THAT(experiment_of(bred_and_scheduled, {"islands.schedule.floor=0.34"}).error().message,
              HasSubstr("'islands.schedule.floor' = 0.34 for 3 islands is outside [0, 1 / 3]"));
  EXPECT_THAT(experiment_of(bred_and_scheduled, {"islands.count=11"}).error().message,
              HasSubstr("'islands.schedule.floor' = 0.1 for 11 islands is outside [0, 1 / 11]"));
  EXPECT_THAT(
      experiment_of(bred_and_scheduled, {"islands.rate=2"}).error().message,
      HasSubstr("'islands.rate' has no place beside schedule: bandit, which sets the shares"));
}

TEST(ConfigId, of_runs_on_every_device_can_be_read_back) {
  for (const char* device : {"cpu", "cuda", "hip", "{kind: hip, targets: []}", "opencl", "triton",
                             "cute", "riscv", "{kind: hip, python: python3}", "function"}) {
    const auto first = experiment_of(fmt::format("task: a\ndevice: {}\n", device));
    ASSERT_TRUE(first) << device << ": " << first.error().message;
    SCOPED_TRACE(device);
    EXPECT_EQ(test::read_back(*first, "a", true).canonical_text, first->canonical_text);
  }
}

constexpr const char* different_islands =
    "task: a\n"
    "operators: {knob_step: 2}\n"
    "islands:\n"
    "  lag: 1\n"
    "  migration: {select: uniform, migrants: 3}\n"
    "  count: 4\n"
    "  each:\n"
    "    - {}\n"
    "    - {strategy: random, lag: 5, migration: {replace: inform, when: receiver_stagnates}}\n"
    "    - {operators: {random_restart: 1, flag_step: {weight: 2}}, archive: {kind: top_k, k: 7},"
    " rate: 3}\n";

TEST(Islands, each_may_differ_in_what_it_names) {
  const auto experiment = experiment_of(different_islands);
  ASSERT_TRUE(experiment) << experiment.error().message;
  const auto& each = experiment->islands.each;
  ASSERT_EQ(each.size(), 4u);
  for (const std::size_t plain : {0, 3}) {
    EXPECT_EQ(each[plain].strategy, "map_elites");
    EXPECT_EQ(each[plain].operators.size(), 1u);
    EXPECT_EQ(each[plain].lag, 1);
    EXPECT_EQ(each[plain].rate, 1);
  }
  EXPECT_EQ(each[1].strategy, "random");
  EXPECT_EQ(each[1].lag, 5);
  EXPECT_EQ(each[1].migration.replace, MigrantReplacement::inform);
  EXPECT_EQ(each[1].migration.when, MigrationTrigger::receiver_stagnates);
  EXPECT_EQ(each[1].migration.select, MigrantSelection::uniform) << "what it does not name stays";
  EXPECT_EQ(each[1].migration.migrants, 3);
  ASSERT_EQ(each[2].operators.size(), 2u);
  EXPECT_EQ(each[2].operators[0].name, "flag_step");
  EXPECT_EQ(each[2].operators[0].weight, 2);
  EXPECT_EQ(each[2].rate, 3);
}

TEST(Islands, are_assembled_as_they_differ) {
  const auto experiment =
      experiment_of(std::string(different_islands).replace(0, 8, "device: function\n"));
  ASSERT_TRUE(experiment) << experiment.error().message;
  const auto subject = read_subject(*experiment, "sphere", ".");
  ASSERT_TRUE(subject) << subject.error().message;
  const SearchPlan plan = make_plan(*experiment, *subject, 1);
  ASSERT_EQ(plan.islands.size(), 4u);
  EXPECT_EQ(plan.islands[0].archive->cells(), plan.passive->cells());
  EXPECT_EQ(plan.islands[2].archive->cells(), 7u);
  EXPECT_EQ(plan.islands[1].lag, 5);
  EXPECT_EQ(plan.islands[2].rate, 3);
  const auto weight = [&](std::size_t island, std::string_view name) {
    for (const auto& named : plan.islands[island].operators) {
      if (named.name == name) return named.weight;
    }
    return -1.0;
  };
  EXPECT_EQ(weight(0, "knob_step"), 2);
  EXPECT_EQ(weight(2, "knob_step"), -1) << "what is off is not even made";
  EXPECT_EQ(weight(2, "random_restart"), 1);
}

TEST(Islands, their_number_follows_from_their_entries) {
  EXPECT_EQ(experiment_of("task: a\nislands: {each: [{}, {lag: 3}, {}]}\n")->islands.count, 3);
  EXPECT_THAT(error_of("task: a\nislands: {count: 1, each: [{}, {}]}\n"),
              HasSubstr("'islands.each' has 2 entries for 1 islands"));
}

TEST(Islands, mistakes_are_named_with_their_island) {
  EXPECT_THAT(error_of("task: a\nislands: {each: [{}, {lagg: 3}]}\n"),
              HasSubstr("unknown key 'islands.each.1.lagg'; did you mean 'lag'?"));
  EXPECT_THAT(error_of("task: a\nislands: {each: [{strategy: radnom}]}\n"),
              HasSubstr("'islands.each.0.strategy.kind' = radnom is not one of"));
  EXPECT_THAT(error_of("task: a\nislands: {each: [{operators: {knob_step: 0}}]}\n"),
              HasSubstr("'islands.each.0.operators' has no operator with a weight above 0"));
  EXPECT_THAT(error_of("task: a\nislands: {each: [{archive: {kind: top_k, kk: 7}}]}\n"),
              HasSubstr("unknown key 'islands.each.0.archive.kk'"));
}

TEST(Islands, differing_ones_survive_the_canonical_text) {
  const auto first = experiment_of(different_islands);
  ASSERT_TRUE(first) << first.error().message;
  const Experiment second = test::read_back(*first, "a");
  EXPECT_EQ(second.canonical_text, first->canonical_text);
  EXPECT_EQ(second.islands.each[1].strategy, "random");
}

TEST(Overrides, reach_single_islands) {
  const auto experiment = experiment_of(
      different_islands,
      {"islands.each.1.strategy=map_elites", "islands.each.2.operators.random_restart=9"});
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(experiment->islands.each[1].strategy, "map_elites");
  EXPECT_EQ(experiment->islands.each[2].operators[1].weight, 9);
}

TEST(Options, are_all_declared_with_type_and_doc) {
  for (const Option& option : experiment_options()) {
    EXPECT_NE(option.type, "") << option.path;
    EXPECT_NE(option.doc, "") << option.path;
  }
}

TEST(Kernels, are_part_of_an_identity_when_they_are_named) {
  const auto plain = experiment_of("task: softmax\n"),
             naive = experiment_of("task: softmax\nkernels: naive\n");
  ASSERT_TRUE(plain && naive);
  EXPECT_THAT(plain->canonical_text, Not(HasSubstr("\nkernels = ")));
  EXPECT_THAT(naive->canonical_text, HasSubstr("\nkernels = [naive]\n"));
}

TEST(Kernels, that_are_naive_are_all_that_a_search_knows) {
  const auto naive = experiment_of("task: softmax\nkernels: naive\n");
  ASSERT_TRUE(naive) << naive.error().message;
  const auto subject = read_subject_alone(*naive, "softmax", ".");
  ASSERT_TRUE(subject) << subject.error().message;
  const SearchPlan from_naive = make_plan(*naive, *subject, 1);
  ASSERT_EQ(from_naive.devices[0].seeds.size(), 1u);
  EXPECT_EQ(from_naive.devices[0].seeds[0].kernel.source, subject->naive.kernel.source);
}

TEST(Kernels, that_a_task_does_not_have_are_an_error) {
  const auto experiment = experiment_of("device: function\nkernels: naive\n");
  ASSERT_TRUE(experiment) << experiment.error().message;
  const auto subject = read_subject(*experiment, "sphere", ".");
  ASSERT_FALSE(subject);
  EXPECT_THAT(subject.error().message, HasSubstr("task 'sphere' has no kernel 'naive'"));
}

}  // namespace
}  // namespace ke
