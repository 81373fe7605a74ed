#include "fitness/plan/resolve_plan.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

TensorSpec tensor(std::string name, std::vector<std::string> shape, bool output) {
  TensorSpec spec;
  spec.name = std::move(name);
  spec.output = output;
  for (const std::string& length : shape) spec.shape.push_back(*Expression::parse(length));
  return spec;
}

/// y(rows, cols) from x(rows, cols) and w(cols).
struct Fixture {
  Fixture() {
    task.axes = {"rows", "cols"};
    task.signature = {"x", "w", "y", "rows", "cols"};
    task.tensors = {tensor("x", {"rows", "cols"}, false), tensor("w", {"cols"}, false),
                    tensor("y", {"rows", "cols"}, true)};
    task.axis_arguments = {"rows", "cols"};
    workload.axes = {{"rows", 100}, {"cols", 4096}};
    workload.label = "rows=100 cols=4096";
    context.task = &task;
    context.workload = &workload;
    context.knobs = {{"THREADS", 256}, {"TILE", 256}, {"ZERO", 0}};
    context.occupancy = [](const std::string&, std::int64_t threads,
                           std::int64_t shared) -> Result<std::int64_t> {
      return 2048 / threads - (shared > 0 ? 1 : 0);
    };
  }

  Result<ResolvedPlan> resolve(std::string_view source) {
    auto plan = parse_launch_plan("k.cu", source);
    if (!plan) return plan.error();
    return resolve_plan(*plan, context);
  }
  std::string complaint(std::string_view source) {
    const auto resolved = resolve(source);
    return resolved ? "" : resolved.error().message;
  }

  Task task;
  Workload workload;
  PlanContext context;
};

TEST(ResolvePlan, evaluates_over_axes_knobs_and_device) {
  Fixture f;
  const auto plan = f.resolve(
      "// @launch k grid=(ceil_div(rows, 3), sm_count) block=(THREADS, 2) shared=4*THREADS");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->steps.size(), 1u);
  const ResolvedStep& step = plan->steps[0];
  EXPECT_EQ(step.grid, (std::vector<std::int64_t>{34, 132, 1}));
  EXPECT_EQ(step.block, (std::vector<std::int64_t>{256, 2, 1}));
  EXPECT_EQ(step.shared_bytes, 1024);
  ASSERT_EQ(step.arguments.size(), 5u);  // the task's signature
  EXPECT_EQ(step.arguments[2].buffer.index, 2);
  EXPECT_EQ(step.arguments[2].buffer.bytes, 100 * 4096 * 4);
  EXPECT_EQ(step.arguments[4].value, 4096);
}

TEST(ResolvePlan, an_occupancy_is_asked_of_the_device_once) {
  Fixture f;
  int asked = 0;
  f.context.occupancy = [&](const std::string& kernel, std::int64_t threads,
                            std::int64_t shared) -> Result<std::int64_t> {
    ++asked;
    EXPECT_EQ(kernel, "k");
    EXPECT_EQ(threads, 512);
    EXPECT_EQ(shared, 64);
    return 4;
  };
  const auto plan = f.resolve(
      "// @launch k grid=(sm_count*occupancy(k)) block=(THREADS, 2) shared=64\n"
      "// @launch j grid=(occupancy(k)) block=(1)");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->steps[0].grid[0], 528);
  EXPECT_EQ(plan->steps[1].grid[0], 4);
  EXPECT_EQ(asked, 1);
}

TEST(ResolvePlan, stages_keep_their_order_and_guards) {
  Fixture f;
  const auto plan = f.resolve(
      "// @scratch s float64 [rows, 2] zeroed\n"
      "// @memset y = 7\n"
      "// @copy w -> table\n"
      "// @launch a grid=(1) block=(1) when=cols > 4096\n"
      "// @launch b grid=(1) block=(1) args=(s, y, int32(cols - 1), rows, THREADS)");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->scratch_bytes, (std::vector<std::int64_t>{1600}));
  ASSERT_EQ(plan->steps.size(), 4u);
  EXPECT_TRUE(plan->steps[0].buffer.scratch);
  EXPECT_EQ(plan->steps[1].byte, 7);
  EXPECT_EQ(plan->steps[2].symbol, "table");
  EXPECT_EQ(plan->steps[3].kernel, "b");
  EXPECT_EQ(plan->steps[3].arguments[2].value, 4095);
  EXPECT_EQ(plan->steps[3].arguments[2].kind, ResolvedArgument::Kind::word32);
  EXPECT_EQ(plan->steps[3].arguments[4].value, 256);
}

TEST(ResolvePlan, tensor_maps_are_complete_and_stay_inside) {
  Fixture f;
  const std::string launch = "\n// @launch k grid=(1) block=(1) args=(m)";
  const auto plan = f.resolve(
      "// @tensor_map m of x dims=(cols, rows) strides=(4*cols) box=(32, 8) swizzle=128B" + launch);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->maps[0].dims, (std::vector<std::int64_t>{4096, 100}));
  EXPECT_EQ(plan->maps[0].element_strides, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(plan->maps[0].swizzle, 3);
  EXPECT_EQ(plan->steps[0].arguments[0].kind, ResolvedArgument::Kind::map);
  EXPECT_EQ(f.complaint("// @tensor_map m of x dims=(cols, rows + 1) strides=(4*cols) box=(8, 8)" +
                        launch),
            "tensor_map m reaches beyond the 1638400 bytes of 'x', line 1");
  EXPECT_EQ(f.complaint("// @tensor_map m of x dims=(8, 8) strides=(20) box=(8, 8)" + launch),
            "strides.1 = 20 = 20, which is no multiple of 16 bytes, line 1");
  EXPECT_EQ(f.complaint("// @tensor_map m of x dims=(8) box=(TILE*2)" + launch),
            "box.0 = TILE=256*2 = 512 > 256 elements of a box, line 1");
}

TEST(ResolvePlan, tensor_maps_know_types_of_any_width) {
  Fixture f;
  const std::string scratch = "// @scratch s bfloat16 [128]\n// @tensor_map m of s box=(8) dims=";
  const auto plan = f.resolve(scratch + "(128)\n// @launch k grid=(1) block=(1) args=(m)");
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->scratch_bytes, (std::vector<std::int64_t>{256}));
  EXPECT_EQ(plan->maps[0].dtype, Dtype::bfloat16);
  EXPECT_EQ(f.complaint(scratch + "(129)\n// @launch k grid=(1) block=(1) args=(m)"),
            "tensor_map m reaches beyond the 256 bytes of 's', line 2");
  const auto wide = f.resolve(
      "// @scratch s int64 [8]\n// @tensor_map m of s dims=(8) box=(8)\n"
      "// @launch k grid=(1) block=(1) args=(m)");
  ASSERT_TRUE(wide) << wide.error().message;
  EXPECT_EQ(wide->maps[0].dtype, Dtype::int64);
}

TEST(ResolvePlan, complaints_show_the_arithmetic) {
  Fixture f;
  EXPECT_EQ(f.complaint("\n// @launch k grid=(ceil_div(cols, ZERO)) block=(1)"),
            "grid.x = ceil_div(cols=4096, ZERO=0): division by zero, line 2");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(1) shared=4*TILE*TILE"),
            "shared = 4*TILE=256*TILE=256 = 262144 > 232448 bytes of the device, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1, cols*16) block=(1)"),
            "grid.y = cols=4096*16 = 65536 > 65535 blocks in y of the device, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(rows / 200) block=(1)"),
            "grid.x = rows=100 / 200 = 0 < 1 blocks in x of the device, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(64, 32)"),
            "block = 64*32*1 = 2048 > 1024 threads of the device, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(THREAD)"),
            "block.x = THREAD: unknown name 'THREAD'; did you mean 'THREADS'?, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(6) block=(1) cluster=(4)"),
            "grid.x = 6 is no multiple of cluster.x = 4, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(16) block=(1) cluster=(4, 4)"),
            "cluster = 4*4*1 = 16 > 8 blocks of the device, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(occupancy(k))"),
            "block.x = occupancy(k): occupancy(k) depends on itself, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(occupancy(j)) block=(1)"),
            "grid.x = occupancy(j): no stage launches 'j', line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(1) args=(x, z)"),
            "args: 'z' is no tensor, scratch, map, table, axis or knob, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(1) args=(int32(cols * 1000000))"),
            "args[0] = cols=4096 * 1000000 = 4096000000 > 2147483647 of int32, line 1");
  EXPECT_EQ(f.complaint("// @memset x = 0\n// @launch k grid=(1) block=(1)"),
            "@memset x: inputs are not to be written, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(1) block=(1) when=rows > 100"),
            "no stage is launched at rows=100 cols=4096: every when= is 0");
  EXPECT_EQ(f.complaint("// @scratch s float32 [cols, cols, cols, 16]\n"
                        "// @launch k grid=(1) block=(1)"),
            "scratch s takes 4398046511104 bytes, at most 75161927680 may be used, line 1");
}

TEST(ResolvePlan, older_devices_refuse_what_they_lack) {
  Fixture f;
  f.context.device.clusters = false;
  EXPECT_EQ(f.complaint("// @launch k grid=(4) block=(1) cluster=(2)"),
            "this device has no clusters, line 1");
  EXPECT_EQ(f.complaint("// @launch k grid=(4) block=(1) pdl"),
            "this device has no programmatic dependent launch, line 1");
}

TEST(ResolvePlan, travels_to_a_worker_and_back) {
  Fixture f;
  const auto plan = f.resolve(
      "// @scratch s int32 [7]\n"
      "// @tensor_map m of x dims=(cols, rows) strides=(4*cols) box=(32, 8)\n"
      "// @pointers both = (x, s)\n"
      "// @launch k grid=(4) block=(32) cluster=(2) args=(m, both, s) pdl");
  ASSERT_TRUE(plan) << plan.error().message;
  const auto back = decode<ResolvedPlan>(encode(*plan));
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), encode(*plan));
  EXPECT_TRUE(back->steps[0].pdl);
}

}  // namespace
}  // namespace ke
