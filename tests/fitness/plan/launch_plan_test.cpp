#include "fitness/plan/launch_plan.hpp"

#include <gtest/gtest.h>

namespace ke {
namespace {

std::string complaint(std::string_view source) {
  const auto plan = parse_launch_plan("k.cu", source);
  return plan ? "" : plan.error().message;
}

TEST(LaunchPlan, reads_every_declaration) {
  const auto plan = parse_launch_plan("k.cu", R"(// A kernel.
// @knob THREADS int {64, 128} = 64
// @scratch partial float32 [rows, 32] zeroed
// @scratch count int32 [1]
// @tensor_map tx of x dims=(cols, rows) strides=(4*cols) box=(64, 8) swizzle=128B
// @+                  promotion=256B fill=nan
// @pointers both = (x, w)
// @memset y = 255
// @copy w -> table
// @launch first grid=(ceil_div(rows, 2), 3) block=(THREADS) shared=4 * THREADS cluster=(2)
// @+            carveout=50 args=(x, tx, both, int32(cols), rows / 2) cooperative
// @launch second grid=rows block=(32, 2, 2) when=cols <= 4096 pdl
)");
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->scratch.size(), 2u);
  EXPECT_TRUE(plan->scratch[0].zeroed);
  EXPECT_EQ(plan->scratch[1].shape.size(), 1u);
  EXPECT_EQ(plan->maps[0].promotion, "256B");
  EXPECT_EQ(plan->maps[0].strides.size(), 1u);
  EXPECT_EQ(plan->tables[0].tensors, (std::vector<std::string>{"x", "w"}));
  ASSERT_EQ(plan->stages.size(), 4u);
  EXPECT_EQ(plan->stages[0].memset->target, "y");
  EXPECT_EQ(plan->stages[1].copy->symbol, "table");
  const LaunchStage& first = *plan->stages[2].launch;
  EXPECT_EQ(first.grid[0].value.text(), "ceil_div(rows, 2)");
  EXPECT_EQ(first.grid[1].value.text(), "3");
  EXPECT_EQ(first.shared->value.text(), "4 * THREADS");
  EXPECT_EQ(first.cluster.size(), 1u);
  EXPECT_TRUE(first.cooperative);
  ASSERT_EQ(first.arguments->size(), 5u);
  EXPECT_EQ((*first.arguments)[3].kind, PlanArgument::Kind::int32);
  EXPECT_EQ((*first.arguments)[4].kind, PlanArgument::Kind::size);
  const PlanStage& second = plan->stages[3];
  EXPECT_EQ(second.when->value.text(), "cols <= 4096");
  EXPECT_TRUE(second.launch->pdl);
  EXPECT_FALSE(second.launch->arguments);
}

TEST(LaunchPlan, comments_of_python_declare_one_too) {
  const auto plan = parse_launch_plan("k.py",
                                      "# @scratch sums float32 [rows]\n"
                                      "#@launch k grid=(rows)\n"
                                      "#  @+ args=(x, sums)\n"
                                      "@triton.jit\n"
                                      "def k(x): pass  # @launch none\n",
                                      BlockFrom::compiler);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->scratch.size(), 1u);
  ASSERT_EQ(plan->stages.size(), 1u);
  EXPECT_TRUE(plan->stages[0].launch->block.empty());
  EXPECT_EQ(plan->stages[0].launch->arguments->size(), 2u);
}

TEST(LaunchPlan, complaints_name_the_line) {
  EXPECT_EQ(complaint("// nothing\n"),
            "k.cu: no launch plan: a GPU kernel needs at least one line "
            "'// @launch KERNEL grid=(..) block=(..)'");
  EXPECT_EQ(complaint("\n// @launch k block=(1)"), "k.cu:2: @launch: grid=(...) is missing");
  EXPECT_EQ(complaint("// @launch k grid=(1) bock=(1)"),
            "k.cu:1: @launch: unknown key 'bock', not one of grid, block, shared, cluster, "
            "carveout, when, args; did you mean 'block'?");
  EXPECT_EQ(complaint("// @launch k grid=(1) grid=(2)"), "k.cu:1: @launch: 'grid' stands twice");
  EXPECT_EQ(complaint("// @launch k grid=(1 block=(1)"),
            "k.cu:1: @launch: parentheses do not pair up");
  EXPECT_EQ(complaint("// @launch k grid=(1,1,1,1) block=(1)"),
            "k.cu:1: grid has 4 parts, at most 3 are allowed");
  EXPECT_EQ(complaint("// @launch k grid=(1+) block=(1)"),
            "k.cu:1: grid.x: expression '1+': something is missing at position 3");
  EXPECT_EQ(complaint("// @lanch k grid=(1) block=(1)"),
            "k.cu:1: unknown declaration '@lanch'; did you mean '@launch'?");
  EXPECT_EQ(complaint("// @+ grid=(1)"), "k.cu:1: @+ has no declaration of a plan above it");
  EXPECT_EQ(complaint("// @launch k fast grid=(1) block=(1)"),
            "k.cu:1: @launch: 'fast grid=(1) block=(1)' is neither a key nor one of cooperative, "
            "pdl");
  EXPECT_EQ(complaint("// @launch 9 grid=(1) block=(1)"),
            "k.cu:1: @launch: expected the name of a kernel, got '9'");
  EXPECT_EQ(
      complaint("// @scratch s float8 [1]"),
      "k.cu:1: @scratch: type 'float8' is not one of float32, int32, float16, bfloat16, int64, "
      "int8, uint8, bool, float64");
  EXPECT_EQ(complaint("// @scratch s float32 8"),
            "k.cu:1: @scratch s: expected its shape, like [rows, 32]");
  EXPECT_EQ(complaint("// @scratch s float32 [8] zero"),
            "k.cu:1: @scratch s: 'zero' is not 'zeroed'");
  EXPECT_EQ(complaint("// @memset y 0"), "k.cu:1: @memset: expected 'NAME = BYTE'");
  EXPECT_EQ(complaint("// @copy w to c"), "k.cu:1: @copy: expected 'TENSOR -> SYMBOL'");
  EXPECT_EQ(complaint("// @tensor_map m of x dims=(8, 8) strides=(32, 32) box=(8, 8)"),
            "k.cu:1: @tensor_map m: 2 dims need 1 strides, 2 box and as many element_strides; got "
            "2, 2, 0");
  EXPECT_EQ(complaint("// @tensor_map m of x dims=(8) box=(8) swizzle=16B"),
            "k.cu:1: @tensor_map: swizzle = 16B is not one of none, 32B, 64B, 128B");
  EXPECT_EQ(complaint("// @scratch s int32 [1]\n// @scratch s int32 [1]\n"
                      "// @launch k grid=(1) block=(1)"),
            "k.cu:1: the plan names 's' twice");
}

TEST(LaunchPlan, what_cannot_be_judged_is_refused) {
  for (const std::string word : {"@stream", "@graph", "@host", "@event", "@persisting_l2"}) {
    const std::string said = complaint("// " + word + " s2\n// @launch k grid=(1) block=(1)");
    EXPECT_EQ(said.substr(0, 8 + word.size()), "k.cu:1: " + word) << said;
  }
  EXPECT_EQ(complaint("// @launch k grid=(1) block=(1) stream=(2)"),
            "k.cu:1: @launch: unknown key 'stream', not one of grid, block, shared, cluster, "
            "carveout, when, args");
}

TEST(LaunchPlan, words_of_other_readers_are_left_alone) {
  EXPECT_EQ(complaint("// @task rmsnorm\n// @param x an input\n// @launch k grid=(1) block=(1)"),
            "");
}

}  // namespace
}  // namespace ke
