// The FlyDSL package compiles kernels for AMD GPUs in the sandbox, without a GPU.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "fitness/hip/amd_compiler.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/fitness/python/dsl_kernels.hpp"
#include "tests/support/real_python.hpp"

namespace ke::hip {
namespace {

using gpu::GpuBuilt;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* turned = R"(# @knob THREADS int {64, 128} = 128
# @launch run grid=(ceil_div(n, THREADS)) args=(x, y, int32(n))
import flydsl.compiler as flyc
import flydsl.expr as fx


@flyc.kernel
def turn(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, THREADS: fx.Constexpr[int]):
    thread = fx.thread_idx.x
    kept = fx.SharedAllocator().allocate(fx.Array[fx.Float32, THREADS]).peek().view(fx.make_layout(THREADS, 1))
    source = fx.make_view(x, fx.make_layout(n, 1))
    target = fx.make_view(y, fx.make_layout(n, 1))
    kept[thread] = source[thread]
    fx.gpu.barrier()
    if thread < n:
        target[thread] = kept[THREADS - 1 - thread].to(fx.Float16)


@flyc.jit
def run(x: fx.Pointer, y: fx.Pointer, n: fx.Int32, THREADS: fx.Constexpr[int]):
    turn(x, y, n, THREADS).launch(grid=(1, 1, 1), block=(THREADS, 1, 1))
)";

TEST(Flydsl, needs_a_python_that_is_named) {
  const Kernel kernel = sample::dsl_kernel(turned, "flydsl");
  EXPECT_TRUE(gpu::is_dsl(kernel.language));
  const auto built = build_dsl({{"gfx942"}, "", {}, {}, nullptr}, kernel);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->reason, "other_language");
  EXPECT_EQ(built->message, "a kernel in flydsl, and device.python names no Python to compile it");
}

class FlydslBuild : public testing::Test {
 protected:
  void SetUp() override {
    auto compiler = real_compiler("flydsl");
    if (!compiler) GTEST_SKIP() << why_no_package("flydsl");
    options_.dsl = python::make_python_compiler(
        std::make_shared<const Task>(sample::dsl_task()),
        std::make_shared<const python::DslCompiler>(*std::move(compiler)), "flydsl");
    options_.targets = {"gfx942"};
  }

  /// Builds the kernel above with `from` changed to `to`.
  GpuBuilt build(const std::string& from = "", const std::string& to = "") {
    std::string source = turned;
    source.replace(source.find(from), from.size(), to);
    const auto built = build_dsl(options_, sample::dsl_kernel(source, "flydsl"));
    EXPECT_TRUE(built) << built.error().message;
    return built ? *built : GpuBuilt{};
  }

  std::string outcome(const std::string& from, const std::string& to) {
    const GpuBuilt built = build(from, to);
    return fmt::format("{} {}: {}", to_string(built.verdict), built.reason, built.message);
  }

  AmdOptions options_;
};

/// Value that LLVM's own reader finds in a code object, e.g. for ".vgpr_count".
int told_by_llvm(const std::string& object, const std::string& key) {
  const std::string path = testing::TempDir() + "flydsl.co";
  std::ofstream(path, std::ios::binary) << object;
  const std::string notes = said_by("/usr/bin/llvm-readelf-19 --notes " + path);
  const std::size_t at = notes.find(key + ":");
  return at == notes.npos ? -1 : std::atoi(notes.c_str() + at + key.size() + 1);
}

TEST_F(FlydslBuild, registers_lds_and_block_are_the_code_objects) {
  options_.targets = {"gfx942", "gfx90a"};
  const GpuBuilt built = build();
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  EXPECT_EQ(built.measures.at("gfx942_lds_bytes"), 128 * 4);
  EXPECT_EQ(built.measures.at("gfx90a_lds_bytes"), 128 * 4);
  EXPECT_EQ(built.measures.at("gfx942_spills"), 0);
  ASSERT_EQ(built.cubins.size(), 1u);
  EXPECT_EQ(built.measures.at("gfx942_vgprs"), told_by_llvm(built.cubins[0], ".vgpr_count"));
  EXPECT_EQ(built.measures.at("gfx942_sgprs"), told_by_llvm(built.cubins[0], ".sgpr_count"));
  const Task task = sample::dsl_task();
  const auto plan = resolve_plan(built.plan, {&task, &task.workloads[0], built.knobs, {}, {}});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->steps[0].kernel, "turn_0");
  EXPECT_EQ(plan->steps[0].block, (std::vector<std::int64_t>{128, 1, 1}));
}

TEST_F(FlydslBuild, comments_change_no_build) {
  EXPECT_EQ(build().build_hash,
            build("import flydsl.expr", "# a comment\nimport flydsl.expr").build_hash);
}

TEST_F(FlydslBuild, errors_have_their_line_and_their_target) {
  EXPECT_THAT(outcome("= source[thread]", "= sorce[thread]"),
              StartsWith("compile_error compile_error: gfx942: line 13: NameError: name 'sorce'"));
  EXPECT_EQ(outcome("import flydsl.expr", "import not_installed\nimport flydsl.expr"),
            "compile_error import_error: gfx942: line 4: No module named 'not_installed'");
}

TEST_F(FlydslBuild, what_llvm_leaves_out_of_a_kernel_is_an_error) {
  EXPECT_EQ(outcome("kept[THREADS - 1 - thread].to", "fx.tanh(kept[thread]).to").substr(0, 45),
            "compile_error compile_error: gfx942: line 20:");
}

TEST_F(FlydslBuild, what_the_plan_cannot_carry_over_is_refused) {
  EXPECT_EQ(outcome("SharedAllocator()", "SharedAllocator(static=False)"),
            "rejected refused_construct: gfx942: line 10: LDS must be static, as SharedAllocator() "
            "allocates it by default");
  EXPECT_EQ(outcome("block=(THREADS, 1, 1)", "block=(THREADS, 1, 1), smem=64"),
            "rejected refused_construct: gfx942: line 21: run: .launch() with 'smem' cannot be "
            "carried over; it may have grid, block, stream");
  EXPECT_EQ(outcome("block=(THREADS, 1, 1)", "block=(n, 1, 1)"),
            "rejected refused_construct: gfx942: line 2: run: block= must be constants");
  EXPECT_EQ(
      outcome("args=(x, y, int32(n))", "args=(x, y)"),
      "rejected bad_plan: gfx942: line 2: run takes 3 arguments (x, y, n), its @launch gives 2");
  EXPECT_THAT(outcome("@flyc.jit\n", ""),
              HasSubstr("no_such_kernel: gfx942: line 2: 'run' is no function under @flyc.jit"));
}

}  // namespace
}  // namespace ke::hip
