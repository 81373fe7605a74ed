// Compiles kernels in CuTe DSL in the sandbox; a stand-in for the DSL returns recorded code.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "fitness/python/dsl_compiler.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/fitness/python/dsl_kernels.hpp"
#include "tests/support/stand_in_python.hpp"

namespace ke::python {
namespace {

using testing::HasSubstr;

class CuteBuild : public testing::Test {
 protected:
  void SetUp() override {
    if (python_.installation.program.empty()) GTEST_SKIP() << "no python3 here";
    task_.tensors[1].align = 2;
  }

  gpu::GpuBuilt build(const std::string& source, const std::string& language = "cute") {
    const auto compiler = python_.compiler();
    if (!compiler) return {};
    const auto built =
        build_python(task_, {}, "sm_90a", *compiler, sample::dsl_kernel(source, language));
    EXPECT_TRUE(built) << built.error().message;
    return built ? *built : gpu::GpuBuilt{};
  }

  static std::string words(const gpu::GpuBuilt& built) {
    return fmt::format("{} {}: {}", to_string(built.verdict), built.reason, built.message);
  }

  /// Outcome for a function `run` with `launch`, of the kernel `name` with `arguments`. `run` is in
  /// line 7, its launch in line 8.
  std::string outcome(const std::string& name, const std::string& arguments,
                      const std::string& launch) {
    return words(build("# @launch run grid=(1) args=(" + arguments + ")\n" +
                       "from cutlass import Constexpr, cute\n"
                       "@cute.kernel\n"
                       "def " +
                       name +
                       "(*arguments):\n"
                       "    pass\n"
                       "@cute.jit\n"
                       "def run(x, taps: Constexpr):\n"
                       "    " +
                       name + "(x)." + launch + "\n"));
  }

  StandInPython python_{testing::TempDir(), "stand_in_cute"};
  Task task_ = sample::dsl_task();
};

constexpr const char* two_kernels = R"(# @knob THREADS int {64, 128} = 128
# @knob opt_level int {2, 3} = 3
# @launch run grid=(ceil_div(n, THREADS)) args=(x, y, int32(n))
# @launch turned grid=(1) args=(x, n) when=n > 10
import cutlass
from cutlass import cute

BYTES = 4


@cute.kernel
def copy(x: cute.Pointer, y: cute.Pointer, n: cutlass.Int32, THREADS: cutlass.Constexpr):
    pass


@cute.kernel
def tiled(x: cute.Pointer, n: cutlass.Int64):
    pass


@cute.jit
def run(x: cute.Pointer, y: cute.Pointer, n: cutlass.Int32, THREADS: cutlass.Constexpr):
    copy(x, y, n, THREADS).launch(grid=(n, 1, 1), block=(THREADS, 1, 1))


@cute.jit
def turned(x: cute.Pointer, n: cutlass.Int64, taps: cutlass.Constexpr, left: cutlass.Constexpr = 32 * BYTES):
    tiled(x, n).launch(grid=(1, 1, 1), block=(64, 2, 1), smem=left * taps)
)";

TEST_F(CuteBuild, machine_code_block_and_shared_memory_become_the_plans) {
  const gpu::GpuBuilt built = build(two_kernels);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  EXPECT_EQ(built.cubins.size(), 2u);
  EXPECT_EQ(built.measures.at("registers"), 10);
  EXPECT_EQ(built.measures.at("shared_bytes"), 512);
  const auto plan = resolve_plan(built.plan, {&task_, &task_.workloads[0], built.knobs, {}, {}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->steps.size(), 2u);
  EXPECT_EQ(plan->steps[0].kernel, "kernel_cutlass_copy_0");
  EXPECT_EQ(plan->steps[0].grid, (std::vector<std::int64_t>{8, 1, 1}));
  EXPECT_EQ(plan->steps[0].block, (std::vector<std::int64_t>{128, 1, 1}));
  EXPECT_EQ(plan->steps[0].shared_bytes, 0);
  EXPECT_EQ(plan->steps[0].arguments.size(), 3u);
  EXPECT_EQ(plan->steps[1].kernel, "kernel_cutlass_tiled_0");
  EXPECT_EQ(plan->steps[1].block, (std::vector<std::int64_t>{64, 2, 1}));
  EXPECT_EQ(plan->steps[1].shared_bytes, 512);
}

TEST_F(CuteBuild, the_function_is_compiled_for_made_up_arguments) {
  DslRequest request{"cute", two_kernels, "sm_100a", {}, {}};
  request.kernels = {{"run", 3, {{"*float32", true}, {"*float16", false}, {"int32", false}}}};
  request.constants = {{"THREADS", std::int64_t{128}}, {"opt_level", std::int64_t{3}}};
  const auto compiler = python_.compiler();
  ASSERT_TRUE(compiler) << compiler.error().message;
  const auto output = compiler->compile(request);
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_EQ(output->modules.size(), 1u) << output->message;
  const std::string& ptx = output->modules[0].assembly;
  const Json asked = parse_json(ptx.substr(ptx.rfind("// ") + 3));
  EXPECT_EQ(asked["arguments"].dump(),
            R"json(["Float32 at 1048576 in gmem, align 16","Float16 at 1048576 in gmem, )json"
            R"json(align None","Int32(1)","128"])json");
  EXPECT_EQ(asked["options"], "--gpu-arch sm_100a --keep-cubin --keep-ptx --opt-level 3");
  EXPECT_EQ(asked["arch"], "sm_100a");
}

TEST_F(CuteBuild, the_occupancy_is_asked_of_the_entry) {
  std::string source = two_kernels;
  source.replace(source.find("grid=(1)"), 8, "grid=(occupancy(run))");
  const gpu::GpuBuilt built = build(source);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  std::string asked;
  PlanContext context{&task_, &task_.workloads[0], built.knobs, {}, {}};
  context.occupancy = [&](const std::string& kernel, std::int64_t threads, std::int64_t) {
    asked = fmt::format("{} {}", kernel, threads);
    return Result<std::int64_t>(3);
  };
  const auto plan = resolve_plan(built.plan, context);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(asked, "kernel_cutlass_copy_0 128");
  EXPECT_EQ(plan->steps[1].grid[0], 3);
}

TEST_F(CuteBuild, errors_of_the_source_have_their_line) {
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string source = two_kernels;
    source.replace(source.find(from), from.size(), to);
    return words(build(source));
  };
  EXPECT_EQ(changed("    pass", "    undefined_name"),
            "compile_error compile_error: line 13: NameError: name 'undefined_name' is not "
            "defined");
  EXPECT_EQ(changed("    pass", "    raise cute.DSLUserCodeError('no such layout', __file__, 2)"),
            "compile_error compile_error: line 2: DSLUserCodeError: no such layout");
  EXPECT_EQ(changed("    pass", "    pass)"), "compile_error syntax_error: line 13: unmatched ')'");
  EXPECT_EQ(changed("BYTES = 4", "import no_such_module"),
            "compile_error import_error: line 8: No module named 'no_such_module'");
  EXPECT_EQ(changed("# @launch run", "# @launch copy"),
            "rejected no_such_kernel: line 3: 'copy' is no function under @cute.jit");
  EXPECT_EQ(
      changed("THREADS: cutlass.Constexpr):\n    copy", "LEFT: cutlass.Constexpr):\n    copy"),
      "rejected bad_plan: line 22: run: 'LEFT' is neither a knob nor a fixed axis of the "
      "task");
  EXPECT_EQ(changed("args=(x, n)", "args=(x)"),
            "rejected bad_plan: line 4: turned takes 2 arguments (x, n), its @launch gives 1");
}

TEST_F(CuteBuild, kernels_that_tune_themselves_are_refused) {
  for (const std::string decorator : {"@testing.autotune_jit(params_dict={})", "@autotune()"}) {
    EXPECT_THAT(words(build("# @launch run grid=(1)\nfrom cutlass.cute import testing\n" +
                            decorator + "\n@cute.jit\ndef run(x): pass\n")),
                testing::MatchesRegex("rejected refused_construct: line 3: @autotune(_jit|): it "
                                      "would choose by timing of its own: declare its parameters "
                                      "as '# @knob', they are genes"));
  }
}

TEST_F(CuteBuild, launches_that_the_plan_cannot_make_are_refused) {
  const std::string why =
      "' cannot be carried over; it may have grid, block, smem, stream, max_number_threads, "
      "min_blocks_per_mp, smem_merge_branch_allocs, hint_smem_base_uniform";
  const std::string prefix = "rejected refused_construct: line 8: run: .launch() with '";
  for (const std::string option : {"cluster", "fallback_cluster", "use_pdl", "cooperative"}) {
    EXPECT_EQ(outcome("copy", "x", "launch(grid=(1, 1, 1), " + option + "=[2, 1, 1])"),
              prefix + option + why);
  }
  EXPECT_EQ(outcome("copy", "x", "launch(**options)"), prefix + "**" + why);
  EXPECT_EQ(outcome("copy", "x", "launch([1, 1, 1])"),
            "rejected refused_construct: line 8: run: .launch() takes its options by name");
  std::string brief = two_kernels;
  for (std::size_t at; (at = brief.find(".launch(")) != brief.npos;) brief.replace(at, 8, "(");
  EXPECT_EQ(words(build(brief)), "ok : ");
  brief.replace(brief.find("smem="), 5, "cooperative=");
  EXPECT_THAT(words(build(brief)), HasSubstr(".launch() with 'cooperative" + why));
  EXPECT_EQ(outcome("copy", "x", "name"),
            "rejected refused_construct: line 7: run: one .launch() must stand in it, it has 0");
}

TEST_F(CuteBuild, what_the_code_asks_for_is_held_against_the_launch) {
  const std::string launch = "launch(grid=(1, 1, 1), block=(128, 1, 1))";
  EXPECT_EQ(outcome("clustered", "x", launch),
            "rejected refused_construct: line 1: run: its kernel is for clusters");
  EXPECT_EQ(outcome("loose", "x", launch),
            "rejected refused_construct: line 1: run: block= must be constants, without "
            "max_number_threads=");
  EXPECT_EQ(
      outcome("tensor", "x", launch),
      "rejected bad_plan: line 1: run: its kernel takes parameters of [24] bytes, @launch "
      "gives [8]: kernels take cute.Pointer, Int32 and Int64 in the order of args=, no Tensor");
  std::string missing = two_kernels;
  missing.replace(missing.find(", smem=left * taps"), 18, "");
  EXPECT_EQ(words(build(missing)),
            "rejected refused_construct: line 27: turned: its kernel has dynamic shared memory, so "
            ".launch() must say smem=BYTES");
  std::string local = two_kernels;
  local.replace(local.find("left * taps"), 11, "left * x");
  EXPECT_THAT(words(build(local)),
              HasSubstr("line 28: turned: 'left * x' must be computed from Constexpr parameters "
                        "and names of the module alone: name 'x' is not defined"));
  std::string negative = two_kernels;
  negative.replace(negative.find("left * taps"), 11, "-1");
  EXPECT_THAT(words(build(negative)), HasSubstr("line 28: turned: smem=-1 is no number of bytes"));
}

TEST_F(CuteBuild, one_function_is_one_kernel) {
  std::string source = two_kernels;
  source += "    copy(x, x, n, 1).launch(grid=(1, 1, 1), block=(1, 1, 1))\n";
  EXPECT_EQ(
      words(build(source)),
      "rejected refused_construct: line 27: turned: one .launch() must stand in it, it has 2");
  source = two_kernels;
  source.replace(source.find("    tiled(x, n)"), 15, "    copy(x, x, n, 1)");
  EXPECT_EQ(words(build(source)),
            "rejected bad_plan: line 4: turned: its kernel takes parameters of [8, 8, 4] bytes, "
            "@launch gives [8, 8]: kernels take cute.Pointer, Int32 and Int64 in the order of "
            "args=, no Tensor");
  source =
      "# @launch run grid=(1) args=(x, y, int32(n))\n# @launch again grid=(2) args=(x, y, "
      "int32(n))\n" +
      std::string(two_kernels).substr(std::string_view(two_kernels).find("import cutlass"));
  source += "@cute.jit\ndef again(x, y, n):\n    copy(x, y, n, 64).launch(block=(128, 1, 1))\n";
  const std::string head = "THREADS: cutlass.Constexpr):\n    copy";
  source.replace(source.find(head), head.size(), "THREADS: cutlass.Constexpr = 64):\n    copy");
  EXPECT_EQ(words(build(source)),
            "rejected refused_construct: two functions launch the same kernel with the same "
            "constants");
}

TEST_F(CuteBuild, another_version_and_a_missing_package_are_named) {
  const std::filesystem::path facts = python_.packages / "nvidia_cutlass_dsl-4.7.0.dist-info";
  EXPECT_TRUE(python_.installation.dsls[1].usable);
  EXPECT_EQ(python_.installation.dsls[1].detail, "nvidia-cutlass-dsl 4.7.0");
  std::ofstream(facts / "METADATA") << "Metadata-Version: 2.1\nName: nvidia-cutlass-dsl\n"
                                       "Version: 4.1.0\n";
  const std::string other =
      "nvidia-cutlass-dsl 4.1.0; versions whose kernels can be compiled: 4.5.*, 4.6.*, 4.7.*, "
      "4.8.*";
  EXPECT_EQ(words(build(two_kernels)), "rejected refused_construct: cute: " + other);
  python_.probe();
  EXPECT_FALSE(python_.installation.dsls[1].usable);
  EXPECT_EQ(python_.installation.dsls[1].detail, other);
  std::filesystem::remove_all(facts);
  EXPECT_EQ(words(build(two_kernels)),
            "rejected refused_construct: cute: not installed: pip install nvidia-cutlass-dsl");
}

TEST_F(CuteBuild, an_old_flydsl_cannot_be_used) {
  const DslFinding& found = python_.installation.dsls[2];
  EXPECT_EQ(found.version, "0.3.2");
  EXPECT_FALSE(found.usable);
  EXPECT_EQ(found.detail, "flydsl 0.3.2; versions whose kernels can be compiled: 0.4.*, 0.5.*");
  EXPECT_EQ(words(build("# @launch run grid=(1)\n", "flydsl")),
            "rejected refused_construct: flydsl: " + found.detail);
}

TEST_F(CuteBuild, a_dsl_compiles_for_the_gpus_of_its_vendor) {
  const auto compiler = python_.compiler();
  ASSERT_TRUE(compiler) << compiler.error().message;
  const auto output = compiler->compile({"cute", two_kernels, "gfx942", {}, {}});
  ASSERT_TRUE(output) << output.error().message;
  EXPECT_EQ(output->message, "cute does not compile for gfx942");
}

}  // namespace
}  // namespace ke::python
