// Compiles kernels with the CuTe DSL package itself, in the sandbox and without a GPU.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/python/python_builder.hpp"
#include "tests/fitness/python/dsl_kernels.hpp"
#include "tests/support/real_python.hpp"

namespace ke::python {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* turned = R"(# @knob THREADS int {64, 128} = 128
# @launch run grid=(ceil_div(n, THREADS)) args=(x, y, int32(n))
import cutlass
from cutlass import cute
from cutlass.utils import SmemAllocator


@cute.kernel
def turn(x: cute.Pointer, y: cute.Pointer, n: cutlass.Int32, THREADS: cutlass.Constexpr):
    thread, _, _ = cute.arch.thread_idx()
    kept = cute.make_tensor(cute.arch.alloc_smem(cutlass.Float32, THREADS), cute.make_layout(THREADS))
    source = cute.make_tensor(x, cute.make_layout(n))
    target = cute.make_tensor(y, cute.make_layout(n))
    kept[thread] = source[thread]
    cute.arch.sync_threads()
    if thread < n:
        target[thread] = cutlass.Float16(kept[THREADS - 1 - thread])


@cute.jit
def run(x: cute.Pointer, y: cute.Pointer, n: cutlass.Int32, THREADS: cutlass.Constexpr):
    turn(x, y, n, THREADS).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
)";

class RealCute : public testing::Test {
 protected:
  void SetUp() override {
    compiler_ = real_compiler("cute");
    if (!compiler_) GTEST_SKIP() << why_no_package("cute");
  }

  /// Builds the kernel above with `from` changed to `to`.
  gpu::GpuBuilt build(const std::string& from = "", const std::string& to = "") {
    std::string source = turned;
    source.replace(source.find(from), from.size(), to);
    const auto built = build_python(sample::dsl_task(), {}, "sm_90a", *compiler_,
                                    sample::dsl_kernel(source, "cute"));
    EXPECT_TRUE(built) << built.error().message;
    return built ? *built : gpu::GpuBuilt{};
  }

  std::string outcome(const std::string& from, const std::string& to) {
    const gpu::GpuBuilt built = build(from, to);
    return fmt::format("{} {}: {}", to_string(built.verdict), built.reason, built.message);
  }

  std::optional<DslCompiler> compiler_;
};

TEST_F(RealCute, block_shared_memory_and_registers_are_the_machine_codes) {
  const gpu::GpuBuilt built = build();
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  EXPECT_EQ(built.measures.at("shared_bytes"), 128 * 4);
  EXPECT_GE(built.measures.at("registers"), 8);
  EXPECT_EQ(built.measures.at("spill_bytes"), 0);
  const Task task = sample::dsl_task();
  const auto plan = resolve_plan(built.plan, {&task, &task.workloads[0], built.knobs, {}, {}});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->steps[0].block, (std::vector<std::int64_t>{128, 1, 1}));
  EXPECT_THAT(plan->steps[0].kernel, StartsWith("kernel_cutlass_turn_"));
  EXPECT_EQ(plan->steps[0].shared_bytes, 0) << "static: the driver knows it";
}

TEST_F(RealCute, comments_change_no_build) {
  EXPECT_EQ(build().build_hash,
            build("import cutlass\n", "# a comment\nimport cutlass\n").build_hash);
}

TEST_F(RealCute, errors_have_their_line_and_the_compilers_advice) {
  EXPECT_THAT(
      outcome("kept[thread] = source", "kept[thread] = sorce"),
      HasSubstr("line 14: DSLUserCodeError: NameError in `run`: name 'sorce' is not defined"));
  EXPECT_THAT(outcome("if thread < n", "while source[0]"),
              AllOf(StartsWith("compile_error compile_error: DSLRuntimeError: Verification failed"),
                    HasSubstr("must be 1-bit signless integer, but got 'f32'")));
}

TEST_F(RealCute, dynamic_shared_memory_is_declared) {
  const std::string statically = "cute.arch.alloc_smem(cutlass.Float32, THREADS)";
  const std::string dynamically = "SmemAllocator().allocate_array(cutlass.Float32, THREADS)";
  EXPECT_THAT(outcome(statically, dynamically), HasSubstr("so .launch() must say smem=BYTES"));
}

}  // namespace
}  // namespace ke::python
