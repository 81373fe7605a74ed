#include <gmock/gmock.h>

#include "experiments/run/assemble.hpp"
#include "fitness/opencl/opencl_builder.hpp"
#include "fitness/opencl/opencl_plan.hpp"
#include "tests/experiments/read_experiments.hpp"

namespace ke {
namespace {

constexpr int drawn_points = 8;

/// Figures that PoCL reports on a small processor.
PlanContext small_device() {
  opencl::DeviceFacts facts;
  facts.max_group = 4096;
  for (std::uint64_t& items : facts.max_items) items = 4096;
  facts.local_bytes = 1 << 19;
  PlanContext context;
  context.device = opencl::terms_of(facts);
  return context;
}

TEST(ShippedOpencl, the_experiment_can_be_read_and_every_point_has_a_legal_plan) {
  const Experiment experiment = test::shipped_experiment("opencl.yaml");
  for (const std::string& name : experiment.tasks) {
    const auto subject = read_subject(experiment, name, KE_SOURCE_DIR "/configs");
    ASSERT_TRUE(subject) << subject.error().message;
    EXPECT_EQ(subject->task->language, "opencl");
    const Seed& anchor = subject->seeds.front();
    EXPECT_GE(anchor.space->knobs.size(), 4u);
    const auto plan = parse_launch_plan(name, anchor.kernel.source);
    ASSERT_TRUE(plan) << plan.error().message;
    RandomStream random(StreamKey{.seed = 1});
    for (int i = 0; i < drawn_points; ++i) {
      const auto point = anchor.space->sample(anchor.kernel, random);
      ASSERT_TRUE(point);
      for (const std::string& flag : anchor.space->flags(*point)) {
        EXPECT_EQ(opencl::refused_opencl_flag(flag), "");
      }
      PlanContext context = small_device();
      context.knobs = plan_knobs(*anchor.space, *point);
      const auto plans = opencl::plans_of(*plan, context, *subject->task);
      EXPECT_TRUE(plans) << plans.error().message;
    }
  }
}

}  // namespace
}  // namespace ke
