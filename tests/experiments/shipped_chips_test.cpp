#include <gmock/gmock.h>

#include "experiments/run/assemble.hpp"
#include "experiments/run/config/document.hpp"
#include "experiments/run/evaluators/cross.hpp"

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
  auto document = load_document(KE_SOURCE_DIR "/configs/riscv.yaml", {});
  ASSERT_TRUE(document) << document.error().message;
  const auto experiment = read_experiment(*std::move(document), "riscv");
  ASSERT_TRUE(experiment) << experiment.error().message;
  EXPECT_EQ(evaluator_kind(*experiment)->default_rule(), "point");
  for (const std::string& task : experiment->tasks) {
    const auto subject = read_subject(*experiment, task, KE_SOURCE_DIR "/configs");
    ASSERT_TRUE(subject) << subject.error().message;
    EXPECT_FALSE(subject->seeds.empty());
  }
}

TEST(ShippedChips, the_experiment_on_riscv_survives_its_canonical_form) {
  auto document = load_document(KE_SOURCE_DIR "/configs/riscv.yaml", {});
  ASSERT_TRUE(document) << document.error().message;
  const auto experiment = read_experiment(*std::move(document), "riscv");
  ASSERT_TRUE(experiment) << experiment.error().message;
  Node stored = document_of_canonical(experiment->canonical_text, "run");
  stored.set("task", document_of_canonical("x = [riscv/softmax]", "run").entries[0].value);
  const auto again = read_experiment(std::move(stored), "riscv");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->canonical_text, experiment->canonical_text);
}

}  // namespace
}  // namespace ke
