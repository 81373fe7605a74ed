// Experiments whose islands name their devices.

#include <gmock/gmock.h>

#include "experiments/run/assemble.hpp"
#include "experiments/run/config/archives.hpp"
#include "experiments/run/device_tasks.hpp"
#include "tests/experiments/read_experiments.hpp"

namespace ke {
namespace {

using test::experiment_of;
using test::read_back;
using test::shipped_experiment;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> device_names(const Experiment& experiment) {
  std::vector<std::string> list;
  for (const DeviceSpec& device : experiment.devices) list.push_back(device.name);
  return list;
}

std::string complaint(const std::string& text) {
  const auto experiment = experiment_of(text);
  return experiment ? "" : experiment.error().message;
}

constexpr const char* two_functions =
    "{islands: {each: ["
    "{device: {kind: function, name: bumpy, function: rastrigin, dimensions: 4}}, "
    "{device: {kind: function, name: smooth, function: sphere, dimensions: 4}}, "
    "{device: {kind: function, name: smooth, dimensions: 4, failures: 0}}]}}";

TEST(DevicesOfIslands, equal_ones_are_one_whatever_is_left_to_defaults) {
  const auto experiment = experiment_of(two_functions);
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_THAT(device_names(*experiment), ElementsAre("bumpy", "smooth"));
  EXPECT_THAT(experiment->islands.device_of, ElementsAre(0, 1, 1));
  EXPECT_THAT(experiment->tasks, ElementsAre("rastrigin"));
}

TEST(DevicesOfIslands, an_island_without_one_has_that_of_the_experiment) {
  const auto experiment = experiment_of(
      "{device: {kind: function, dimensions: 4}, islands: {count: 3, each: [{lag: 1}, "
      "{device: {kind: function, name: other, dimensions: 4, failures: 0.5}}]}}");
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_THAT(device_names(*experiment), ElementsAre("function", "other"));
  EXPECT_THAT(experiment->islands.device_of, ElementsAre(0, 1, 0));
}

TEST(DevicesOfIslands, different_ones_need_different_names) {
  EXPECT_THAT(
      complaint("{islands: {each: [{device: {kind: function}}, "
                "{device: {kind: function, function: rastrigin}}]}}"),
      HasSubstr("is another device than that of the same name 'function'; give it a 'name'"));
}

TEST(DevicesOfIslands, plans_know_which_island_runs_where) {
  const auto experiment = experiment_of(two_functions);
  ASSERT_TRUE(experiment) << experiment.error().message;
  const auto subject = read_subject(*experiment, "rastrigin", ".");
  ASSERT_TRUE(subject) << subject.error().message;
  const SearchPlan plan = make_plan(*experiment, *subject, 1);
  ASSERT_THAT(plan.devices, SizeIs(2));
  EXPECT_EQ(plan.devices[0].abi, plan.devices[1].abi);
  EXPECT_NE(plan.devices[0].task_hash, plan.devices[1].task_hash);
  EXPECT_NE(plan.header.task_hash, plan.devices[0].task_hash) << "the header's is of all of them";
  EXPECT_EQ(plan.islands[2].device, 1u);
  EXPECT_EQ(plan.passive->cells(), 2 * plan.islands[0].archive->cells());
  EXPECT_THAT(without_exchange(*experiment, *subject), IsEmpty());
}

TEST(DevicesOfIslands, the_shipped_one_survives_its_canonical_form) {
  const Experiment experiment = shipped_experiment("mixed.yaml");
  EXPECT_THAT(device_names(experiment), ElementsAre("cpu", "opencl", "riscv"));
  const Experiment again = read_back(experiment, "[softmax]");
  EXPECT_EQ(again.canonical_text, experiment.canonical_text);
  EXPECT_EQ(again.islands.device_of, experiment.islands.device_of);
}

TEST(DevicesOfIslands, each_takes_the_task_as_its_language_and_measures_have_it) {
  const Experiment experiment = shipped_experiment("mixed.yaml");
  for (const std::string& task : experiment.tasks) {
    const auto subject = read_subject(experiment, task, KE_SOURCE_DIR "/configs");
    ASSERT_TRUE(subject) << subject.error().message;
    ASSERT_THAT(subject->devices, SizeIs(3));
    EXPECT_EQ(subject->on(1).task->language, "opencl");
    EXPECT_THAT(subject->on(2).task->folder, HasSubstr("tasks/riscv/"));
    EXPECT_EQ(abi_of(subject->on(0)), abi_of(subject->on(2)));
    const auto apart = without_exchange(experiment, *subject);
    ASSERT_THAT(apart, SizeIs(2));
    EXPECT_THAT(apart[0],
                HasSubstr("no kernel can go between devices cpu and opencl: their languages"));
  }
  EXPECT_THAT(experiment.canonical_text,
              HasSubstr("islands.each.2.archive.axes.0.measure = vector_share"));
  EXPECT_THAT(experiment.canonical_text, HasSubstr("islands.each.2.acceptance.rule = point"));
}

TEST(DevicesOfIslands, tasks_with_other_arguments_are_refused) {
  const Experiment experiment =
      shipped_experiment("mixed.yaml", {"islands.each.1.task=opencl/embedding_bag"});
  const auto subject = read_subject(experiment, "softmax", KE_SOURCE_DIR "/configs");
  ASSERT_FALSE(subject);
  EXPECT_THAT(subject.error().message,
              HasSubstr("devices cpu and opencl have tasks with different arguments"));
}

TEST(DevicesOfIslands, axes_that_a_device_does_not_measure_are_refused) {
  EXPECT_THAT(complaint("{task: softmax, archive: {axes: [{measure: vector_width}]}, "
                        "islands: {each: [{device: cpu}, {device: riscv}]}}"),
              HasSubstr("= riscv does not measure the axes of the section 'archive'"));
}

TEST(DevicesOfIslands, what_is_of_one_device_is_refused) {
  EXPECT_THAT(complaint("{task: softmax, passive: {kind: top_k}, "
                        "islands: {each: [{device: cpu}, {device: riscv}]}}"),
              HasSubstr("with several devices it is a grid for each of them"));
}

}  // namespace
}  // namespace ke
