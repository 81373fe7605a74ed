#include <gmock/gmock.h>

#include "experiments/run/assemble.hpp"
#include "experiments/run/evaluators/cross.hpp"
#include "tests/experiments/read_experiments.hpp"

namespace ke {
namespace {

using testing::StartsWith;

TEST(ShippedChips, are_complete_but_for_programs_of_this_machine) {
  const auto chips = probe_chips();
  ASSERT_FALSE(chips.empty());
  EXPECT_EQ(chips.front().name, "chip riscv");
  for (const ChipFinding& chip : chips) {
    if (chip.ok) continue;
    EXPECT_THAT(chip.detail, StartsWith("missing /")) << chip.name;
  }
}

TEST(ShippedChips, the_experiment_on_riscv_can_be_read) {
  const Experiment experiment = test::shipped_experiment("riscv.yaml");
  EXPECT_EQ(evaluator_kind(experiment)->default_rule(), "point");
  for (const std::string& task : experiment.tasks) {
    const auto subject = read_subject(experiment, task, KE_SOURCE_DIR "/configs");
    ASSERT_TRUE(subject) << subject.error().message;
    EXPECT_FALSE(subject->seeds.empty());
  }
}

TEST(ShippedChips, the_experiment_on_riscv_survives_its_canonical_form) {
  const Experiment experiment = test::shipped_experiment("riscv.yaml");
  EXPECT_EQ(test::read_back(experiment, "[riscv/softmax]").canonical_text,
            experiment.canonical_text);
}

}  // namespace
}  // namespace ke
