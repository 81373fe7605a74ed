// Every archive works with every strategy, on a function and on a recorded landscape.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "archive/archives.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/run_in_memory.hpp"
#include "tests/experiments/read_experiments.hpp"

namespace ke {
namespace {

constexpr std::int64_t evaluations = 60;

struct Device {
  std::string name;
  std::string task;
  std::string options;
};

const std::vector<Device>& devices() {
  static const std::vector<Device> list = {
      {"function", "sphere", "{kind: function, function: sphere, dimensions: 3}"},
      {"landscape", "softmax", "{kind: landscape}"}};
  return list;
}

/// Results of a search, and the additions that its archive accepted.
struct Finds final : SearchObserver {
  void on_commit(const StepRecord& record, const SearchStatus& status) override {
    if (record.index == 0) first = status.best_objective;
    best = status.best_objective;
    for (const ArchiveEvent& event : record.events) {
      const bool kept = event.status == Addition::new_cell || event.status == Addition::improved;
      if (event.archive == "island" && kept) ++taken;
    }
  }
  double first = 0;
  double best = 0;
  std::int64_t taken = 0;
};

std::vector<std::string> archive_names() {
  std::vector<std::string> names;
  for (const auto& kind : archive_kinds()) names.emplace_back(kind.name);
  return names;
}

Experiment experiment_of(const Device& device, const std::string& archive,
                         const std::string& strategy) {
  const std::string program =
      strategy == "command" ? ", program: [" KE_SOURCE_DIR "/tests/support/play_greedily.py]" : "";
  auto experiment = test::experiment_of(
      fmt::format("{{task: {}, budget: {{evaluations: {}}}, device: {}, verify: {{cells: 0}}, "
                  "islands: {{count: 2, lag: 0, migration: {{every: 5}}}}, archive: {{kind: {}}}, "
                  "strategy: {{kind: {}{}}}}}",
                  device.task, evaluations, device.options, archive, strategy, program));
  EXPECT_TRUE(experiment) << experiment.error().message;
  return *std::move(experiment);
}

/// Cached, because all archives and strategies use the same subject.
const Subject& subject_of(const Device& device) {
  static std::map<std::string, Subject> read;
  const auto known = read.find(device.name);
  if (known != read.end()) return known->second;
  auto subject = read_subject(experiment_of(device, "grid", "random"), device.task, "");
  KE_CHECK(subject);
  return read.emplace(device.name, *std::move(subject)).first->second;
}

class ArchiveStrategy : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, ArchiveStrategy, testing::ValuesIn(archive_names()),
                         [](const auto& c) { return c.param; });

void searches_alike_twice(const Device& device, const std::string& archive,
                          const std::string& strategy) {
  SCOPED_TRACE(fmt::format("{}, {}", strategy, device.name));
  const Experiment experiment = experiment_of(device, archive, strategy);
  Finds finds, same;
  const auto stop = run_in_memory(experiment, subject_of(device), 1, finds);
  ASSERT_TRUE(stop) << stop.error().message;
  EXPECT_EQ(stop->reason, "budget");
  EXPECT_EQ(stop->evaluations, evaluations);
  EXPECT_GT(finds.taken, 0);
  EXPECT_GT(finds.best, finds.first);
  const auto again = run_in_memory(experiment, subject_of(device), 1, same);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->history_hash, stop->history_hash);
  EXPECT_EQ(same.taken, finds.taken);
}

// All strategies in one process: the landscape is read once.
TEST_P(ArchiveStrategy, searches_to_the_end_of_its_budget_and_again_alike) {
  for (const auto& strategy : component_names(strategies())) {
    for (const Device& device : devices()) searches_alike_twice(device, GetParam(), strategy);
  }
}

}  // namespace
}  // namespace ke
