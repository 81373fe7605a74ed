#include "fitness/opencl/opencl_plan.hpp"

#include <gmock/gmock.h>

namespace ke::opencl {
namespace {

using testing::HasSubstr;

TensorSpec tensor(const std::string& name, bool output) {
  TensorSpec spec;
  spec.name = name;
  spec.output = output;
  spec.shape = {*Expression::parse("rows"), *Expression::parse("cols")};
  return spec;
}

/// y(rows, cols) from x(rows, cols), at 100 x 64 and 70000 x 3.
struct Fixture {
  Fixture() {
    task.axes = {"rows", "cols"};
    task.signature = {"x", "y", "rows", "cols"};
    task.tensors = {tensor("x", false), tensor("y", true)};
    task.axis_arguments = {"rows", "cols"};
    task.workloads = {at(100, 64), at(70'000, 3)};
    context.task = &task;
    context.workload = &task.workloads[0];
    context.knobs = {{"GROUP", 16}};
    context.device.clusters = false;
    context.device.max_threads = 4096;
  }
  static Workload at(std::int64_t rows, std::int64_t cols) {
    Workload workload;
    workload.axes = {{"rows", rows}, {"cols", cols}};
    workload.label = "rows=" + std::to_string(rows) + " cols=" + std::to_string(cols);
    return workload;
  }
  Result<std::vector<wire::Launch>> launches(const std::string& source) {
    KE_TRY(const LaunchPlan plan, parse_launch_plan("k.cl", source));
    return launches_at(plan, context);
  }
  Result<LaunchPlansPtr> plans(const std::string& source) {
    KE_TRY(const LaunchPlan plan, parse_launch_plan("k.cl", source));
    return plans_of(plan, context, task);
  }
  std::string complaint(const std::string& source) {
    const auto made = plans(source);
    return made ? "" : made.error().message;
  }

  Task task;
  PlanContext context;
};

TEST(OpenclPlan, a_grid_counts_groups_and_arguments_keep_their_order) {
  Fixture f;
  const auto launches = f.launches(
      "// @launch k grid=(ceil_div(rows, GROUP), 2) block=(GROUP) args=(y, int32(-3), x, cols)");
  ASSERT_TRUE(launches) << launches.error().message;
  ASSERT_EQ(launches->size(), 1u);
  const wire::Launch& launch = launches->front();
  EXPECT_STREQ(launch.kernel, "k");
  EXPECT_THAT(launch.local, testing::ElementsAre(16, 1, 1));
  EXPECT_THAT(launch.global, testing::ElementsAre(112, 2, 1));
  ASSERT_EQ(launch.argument_count, 4u);
  EXPECT_EQ(launch.arguments[0].kind, wire::Argument::address);
  EXPECT_EQ(launch.arguments[0].value, 1u);
  EXPECT_EQ(launch.arguments[1].kind, wire::Argument::word32);
  EXPECT_EQ(static_cast<std::int32_t>(launch.arguments[1].value), -3);
  EXPECT_EQ(launch.arguments[2].value, 0u);
  EXPECT_EQ(launch.arguments[3].kind, wire::Argument::word64);
  EXPECT_EQ(launch.arguments[3].value, 64u);
}

TEST(OpenclPlan, stages_run_in_order_and_only_when_wanted) {
  Fixture f;
  const auto launches = f.launches(
      "// @launch first grid=(1) block=(1)\n// @launch never grid=(1) block=(1) when=cols > 64\n"
      "// @launch second grid=(1) block=(1)");
  ASSERT_TRUE(launches) << launches.error().message;
  ASSERT_EQ(launches->size(), 2u);
  EXPECT_STREQ((*launches)[0].kernel, "first");
  EXPECT_STREQ((*launches)[1].kernel, "second");
}

TEST(OpenclPlan, one_code_is_prepared_for_each_local_size_and_kind_of_grid) {
  Fixture f;
  const auto plans = f.plans("// @launch k grid=(ceil_div(rows, 16)) block=(16)");
  ASSERT_TRUE(plans) << plans.error().message;
  EXPECT_EQ((*plans)->prepared.size(), 2u);  // 70000 rows need PoCL's code for large grids
  const auto small = f.plans("// @launch k grid=(1) block=(16)");
  ASSERT_TRUE(small) << small.error().message;
  ASSERT_EQ((*small)->prepared.size(), 1u);
  EXPECT_EQ((*small)->prepared[0].global[0], 65520u);  // no wider grid runs this code
}

TEST(OpenclPlan, other_shapes_may_ask_for_no_other_local_size) {
  Fixture f;
  const auto plans = f.plans("// @launch k grid=(rows) block=(min(cols, 64))");
  ASSERT_TRUE(plans) << plans.error().message;
  EXPECT_TRUE((*plans)->at(Fixture::at(50, 64)));
  const auto other = (*plans)->at(Fixture::at(50, 32));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr("let block= depend on knobs alone"));
}

TEST(OpenclPlan, what_belongs_to_other_devices_is_refused_with_its_line) {
  Fixture f;
  const std::string launch = "// @launch k grid=(1) block=(1)";
  EXPECT_EQ(f.complaint(launch), "");
  for (const auto& [source, word] : std::vector<std::pair<std::string, std::string>>{
           {"// @scratch s float32 [rows]\n" + launch, "@scratch"},
           {"// @memset y = 0\n" + launch, "@memset"},
           {"// @copy x -> c\n" + launch, "@copy"},
           {"// @pointers p = (x, y)\n" + launch, "@pointers"},
           {launch + " cluster=(2)", "cluster="},
           {launch + " shared=16", "shared="},
           {launch + " carveout=50", "carveout="},
           {launch + " cooperative", "cooperative"},
           {launch + " pdl", "pdl"}}) {
    EXPECT_THAT(f.complaint(source), HasSubstr(word + " no plan of OpenCL kernels may hold, line "))
        << source;
  }
}

TEST(OpenclPlan, the_devices_limits_hold) {
  Fixture f;
  EXPECT_THAT(f.complaint("// @launch k grid=(1) block=(1024, 8)"), HasSubstr("> 4096 threads"));
}

}  // namespace
}  // namespace ke::opencl
