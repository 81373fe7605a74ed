// Compiles kernels in a Python DSL in the sandbox; a stand-in for Triton reports its inputs.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/json.hpp"
#include "fitness/python/python_builder.hpp"
#include "tests/fitness/python/dsl_kernels.hpp"
#include "tests/support/stand_in_python.hpp"

namespace ke::python {
namespace {

using testing::HasSubstr;

/// All tests share one environment.
class PythonBuild : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    python_ = std::make_unique<const StandInPython>(testing::TempDir());
  }
  static void TearDownTestSuite() { python_.reset(); }

  void SetUp() override {
    if (python_->installation.program.empty()) GTEST_SKIP() << "no python3 here";
    auto compiler = python_->compiler();
    ASSERT_TRUE(compiler) << compiler.error().message;
    compiler_ = *std::move(compiler);
  }

  gpu::GpuBuilt build(const std::string& source) {
    const auto built =
        build_python(task_, {}, "sm_90a", compiler_, sample::dsl_kernel(source, "triton"));
    EXPECT_TRUE(built) << built.error().message;
    return built ? *built : gpu::GpuBuilt{};
  }

  /// "verdict reason: message" for a source with a plan, an honest kernel and then `body`, which
  /// begins in line 6.
  std::string outcome(const std::string& body) {
    const gpu::GpuBuilt built = build(
        "# @launch copy grid=(n) args=(x, int32(n))\n"
        "import triton\n"
        "@triton.jit\n"
        "def copy(x, n):\n"
        "    pass\n" +
        body);
    return fmt::format("{} {}: {}", to_string(built.verdict), built.reason, built.message);
  }

  static inline std::unique_ptr<const StandInPython> python_;
  DslCompiler compiler_;
  Task task_ = sample::dsl_task();
};

constexpr const char* whole = R"(# @knob BLOCK int {64, 128} = 128
# @knob MODE enum {near, far} = far
# @knob EXACT bool = true
# @knob num_warps int {4, 8} = 8
# @scratch sums float32 [n]
# @memset sums = 0
# @launch first grid=(ceil_div(n, BLOCK)) args=(x, sums, int32(n))
# @launch second grid=(1) args=(sums, y, n) when=n > 10
import triton
import triton.language as tl


@triton.jit
def first(x, sums, n, BLOCK: tl.constexpr, MODE: tl.constexpr, taps: tl.constexpr, LEFT: tl.constexpr = 3):
    pass


@triton.jit
def second(sums, EXACT: tl.constexpr, y, n):
    pass
)";

TEST_F(PythonBuild, a_probe_says_which_dsls_there_are) {
  const auto& dsls = python_->installation.dsls;
  ASSERT_EQ(dsls.size(), 3u);
  EXPECT_EQ(dsls[0].name, "triton");
  EXPECT_TRUE(dsls[0].usable);
  EXPECT_EQ(dsls[0].version, "3.6.0");
  EXPECT_FALSE(dsls[1].usable);
  EXPECT_EQ(dsls[1].detail, "not installed: pip install nvidia-cutlass-dsl");
  EXPECT_EQ(dsls[2].detail, "not installed: pip install flydsl");
  EXPECT_FALSE(read_installation("Python 3.11"));
}

TEST_F(PythonBuild, types_come_from_the_plan_and_constants_from_knobs_and_fixed_axes) {
  const gpu::GpuBuilt built = build(whole);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  DslRequest request{"triton", whole, "sm_90a", {}, {}};
  request.kernels = {{"first", 7, {{"*float32", true}, {"*float32", true}, {"int32", false}}},
                     {"second", 8, {{"*float32", true}, {"*float16", true}, {"int64", false}}}};
  request.constants = {{"BLOCK", std::int64_t{128}},
                       {"MODE", std::string("far")},
                       {"EXACT", true},
                       {"num_warps", std::int64_t{8}},
                       {"taps", std::int64_t{4}}};
  const auto output = compiler_.compile(request);
  ASSERT_TRUE(output) << output.error().message;
  ASSERT_EQ(output->modules.size(), 2u) << output->message;
  const Json first = parse_json(output->modules[0].assembly);
  EXPECT_EQ(first["signature"].dump(),
            R"({"x":"*fp32","sums":"*fp32","n":"i32","BLOCK":"constexpr","MODE":"constexpr",)"
            R"("taps":"constexpr","LEFT":"constexpr"})");
  EXPECT_EQ(first["constexprs"].dump(), R"json({"(3,)":128,"(4,)":"far","(5,)":4,"(6,)":3})json");
  EXPECT_EQ(first["attrs"].dump(),
            R"json({"(0,)":[["tt.divisibility",16]],"(1,)":[["tt.divisibility",16]]})json");
  EXPECT_EQ(first["options"].dump(), R"({"num_warps":8,"maxnreg":null})");
  EXPECT_EQ(first["target"].dump(), R"(["cuda",90,32])");
  const Json second = parse_json(output->modules[1].assembly);
  EXPECT_EQ(second["signature"].dump(),
            R"({"sums":"*fp32","EXACT":"constexpr","y":"*fp16","n":"i64"})");
}

TEST_F(PythonBuild, the_compiler_decides_blocks_and_shared_memory_of_the_plan) {
  const gpu::GpuBuilt built = build(whole);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  EXPECT_EQ(built.cubins.size(), 2u);
  EXPECT_EQ(built.measures.at("registers"), 40);
  EXPECT_EQ(built.measures.at("shared_bytes"), 64);
  const auto plan = resolve_plan(built.plan, {&task_, &task_.workloads[0], built.knobs, {}, {}});
  ASSERT_TRUE(plan) << plan.error().message;
  ASSERT_EQ(plan->steps.size(), 3u);
  const ResolvedStep& first = plan->steps[1];
  EXPECT_EQ(first.kernel, "first");
  EXPECT_EQ(first.grid, (std::vector<std::int64_t>{8, 1, 1}));
  EXPECT_EQ(first.block, (std::vector<std::int64_t>{256, 1, 1}));
  EXPECT_EQ(first.shared_bytes, 64);
  ASSERT_EQ(first.arguments.size(), 5u);
  EXPECT_EQ(first.arguments[2].kind, ResolvedArgument::Kind::word32);
  for (const std::size_t hidden : {3u, 4u}) {
    EXPECT_EQ(first.arguments[hidden].kind, ResolvedArgument::Kind::word64);
    EXPECT_EQ(first.arguments[hidden].value, 0);
  }
}

TEST_F(PythonBuild, equal_modules_and_plans_are_equal_builds) {
  const Digest hash = build(whole).build_hash;
  EXPECT_EQ(build(std::string(whole) + "# a comment\n").build_hash, hash);
  std::string other = whole;
  other.replace(other.find("= 128"), 5, "= 64");
  EXPECT_NE(build(other).build_hash, hash) << "the grid differs";
}

TEST_F(PythonBuild, errors_say_where) {
  EXPECT_EQ(outcome("def f(:\n"), "compile_error syntax_error: line 6: invalid syntax");
  EXPECT_EQ(outcome("\nimport no_such_module\n"),
            "compile_error import_error: line 7: No module named 'no_such_module'");
  EXPECT_EQ(outcome("def f():\n    return 1 / 0\nf()\n"),
            "compile_error module_error: line 7: ZeroDivisionError: division by zero");
  EXPECT_EQ(outcome("import sys\nsys.exit(0)\n"),
            "compile_error module_error: line 7: SystemExit: 0");
  EXPECT_EQ(outcome("def copy(x, n): pass\n"),
            "rejected no_such_kernel: line 1: 'copy' is no function under @triton.jit");
  EXPECT_EQ(outcome("@triton.jit\ndef copy(x, n, m): pass\n"),
            "rejected bad_plan: line 1: copy takes 3 arguments (x, n, m), its @launch gives 2");
  EXPECT_EQ(outcome("@triton.jit\ndef copy(x, n, B: 'constexpr'): pass\n"),
            "rejected bad_plan: line 1: copy: 'B' is neither a knob nor a fixed axis of the task");
  EXPECT_EQ(outcome("\n\n@triton.jit\ndef copy(x, n):\n    x + undefined_name\n"),
            "compile_error compile_error: line 10: NameError('undefined_name')");
}

TEST_F(PythonBuild, what_chooses_by_itself_is_refused) {
  constexpr const char* genes =
      ": it would choose by timing of its own: declare its parameters as '# @knob', they are genes";
  EXPECT_EQ(outcome("@triton.autotune(configs=[], key=['n'])\n@triton.jit\ndef g(x): pass\n"),
            std::string("rejected refused_construct: line 6: @autotune") + genes);
  EXPECT_EQ(outcome("from triton import heuristics\n@heuristics({})\ndef g(x): pass\n"),
            std::string("rejected refused_construct: line 7: @heuristics") + genes);
  EXPECT_EQ(outcome("copy = triton.autotune([], [])(copy)\n"),
            "rejected no_such_kernel: line 1: 'copy' is no function under @triton.jit");
  EXPECT_THAT(build("# @launch scratch grid=(n) args=(x)\nimport triton\n@triton.jit\n"
                    "def scratch(x): pass\n")
                  .message,
              HasSubstr("neither scratch memory of Triton's own"));
}

TEST_F(PythonBuild, plans_leave_to_the_compiler_what_it_decides) {
  const auto refusal = [&](const std::string& lines) {
    const gpu::GpuBuilt built = build(lines);
    return fmt::format("{}: {}", built.reason, built.message);
  };
  EXPECT_EQ(refusal("# @launch k grid=(1) block=(64)"),
            "bad_plan: k.py:1: @launch: unknown key 'block', not one of grid, when, args");
  EXPECT_EQ(refusal("import triton"),
            "bad_plan: k.py: no launch plan: a GPU kernel needs at least one line '# @launch "
            "KERNEL grid=(..)'");
  EXPECT_EQ(refusal("# @copy x -> c\n# @launch k grid=(1)"),
            "bad_plan: line 1: @copy cannot be used with kernels of a Python DSL");
  EXPECT_EQ(refusal("# @stream s\n# @launch k grid=(1)").substr(0, 25),
            "bad_plan: k.py:1: @stream");
  EXPECT_EQ(refusal("# @launch k grid=(1) args=(x)\n# @launch k grid=(1) args=(y)"),
            "bad_plan: line 2: 'k' is launched with arguments of other types in line 1");
  EXPECT_EQ(refusal("# @flags -O3\n# @launch k grid=(1)"),
            "forbidden_flag: kernels of a Python DSL take no flags: the compiler's options are "
            "knobs");
  EXPECT_EQ(refusal("# @knob B int {1} = 2"),
            "bad_declaration: k.py:1: knob B: default '2' is not "
            "one of 1");
}

TEST_F(PythonBuild, a_source_that_ends_hangs_or_floods_is_its_own_fault) {
  EXPECT_EQ(outcome("import os\nos._exit(0)\n"),
            "rejected bad_reply: the compile process left no usable answer: no reply");
  EXPECT_THAT(outcome("import os\nos.abort()\n"),
              HasSubstr("compile_error compiler_crash: the compile process ended with signal 6"));
  EXPECT_THAT(outcome("while True: print('x' * 100000)\n"), HasSubstr("compile_limit"));
  compiler_.limit = std::chrono::seconds(1);
  EXPECT_THAT(outcome("while True: pass\n"), HasSubstr("compile_limit"));
}

TEST_F(PythonBuild, words_of_a_source_are_no_answer) {
  EXPECT_EQ(outcome("print('{\"modules\": []}')\nimport sys\nprint('ok', file=sys.stderr)\n"),
            "ok : ");
}

TEST_F(PythonBuild, forged_answers_are_refused) {
  const auto forged = [&](const std::string& lines) {
    const std::string said = outcome("import os, json\ndef save(n, t): open(n, 'wb').write(t)\n" +
                                     lines + "\nos._exit(0)\n");
    constexpr std::string_view prefix =
        "rejected bad_reply: the compile process left no usable answer: ";
    EXPECT_TRUE(said.starts_with(prefix)) << said;
    return said.substr(std::min(prefix.size(), said.size()));
  };
  const auto reply = [](const std::string& facts) {
    return "save('reply.json', json.dumps({'modules': [" + facts + "]}).encode())";
  };
  const std::string honest = "{'block': [128], 'shared_bytes': 0, 'hidden_pointers': 2}";
  EXPECT_EQ(forged("save('reply.json', b'[1, 2')"), "no JSON object");
  EXPECT_EQ(forged("try: os.symlink('/etc/passwd', 'reply.json')\nexcept OSError: pass"),
            "no reply");
  EXPECT_EQ(forged("try: os.mkfifo('reply.json')\nexcept OSError: pass"), "no reply");
  EXPECT_EQ(forged(reply("")), "not one module for each of 1 kernels");
  for (const std::string block : {"1e9", "[1e9]", "[]", "[1, 1, 1, 1]", "[32, 0]", "['32']"}) {
    EXPECT_EQ(forged(reply("{'block': " + block + ", 'shared_bytes': 0, 'hidden_pointers': 2}")),
              "numbers of 'copy' out of bounds");
  }
  EXPECT_EQ(forged(reply("{'block': [128], 'shared_bytes': 1 << 40, 'hidden_pointers': 2}")),
            "numbers of 'copy' out of bounds");
  EXPECT_EQ(forged(reply("{'block': [128], 'shared_bytes': 0, 'hidden_pointers': -1}")),
            "numbers of 'copy' out of bounds");
  EXPECT_EQ(forged(reply("{'entry': 'a b', 'block': [128], 'shared_bytes': 0, "
                         "'hidden_pointers': 2}")),
            "no entry of 'copy'");
  EXPECT_THAT(forged(reply(honest)), HasSubstr("0.code"));
  EXPECT_THAT(forged("save('0.code', os.urandom(5000)); save('0.assembly', b''); " + reply(honest)),
              HasSubstr("no magic"));
  EXPECT_EQ(forged("save('0.code', triton.module_of('other')); save('0.assembly', b''); " +
                   reply(honest)),
            "no code of 'copy' in its module");
  EXPECT_EQ(forged("save('reply.json', b'{\"error\": {\"reason\": \"ok\"}}')"),
            "an unknown reason");
}

TEST_F(PythonBuild, resources_that_a_compiler_tells_are_bounded) {
  const gpu::GpuBuilt built = build(
      "# @launch copy grid=(n) args=(x, int32(n))\n"
      "import os, json, triton\n"
      "def save(n, t): open(n, 'wb').write(t)\n"
      "save('0.code', triton.module_of('copy')); save('0.assembly', b'')\n"
      "resources = {'vgprs': 5, 'sgprs': -1, 'lds_bytes': 1 << 40, 'agprs': 'x', 'free': 1}\n"
      "save('reply.json', json.dumps({'modules': [{'block': [64], 'shared_bytes': 0, "
      "'hidden_pointers': 0, 'resources': resources}]}).encode())\n"
      "os._exit(0)\n");
  ASSERT_EQ(built.verdict, Verdict::ok) << built.reason << ": " << built.message;
  EXPECT_EQ(built.measures, (std::map<std::string, double>{{"vgprs", 5}}));
}

TEST_F(PythonBuild, a_block_that_the_device_lacks_is_a_bad_plan) {
  EXPECT_THAT(
      outcome("import os, json\n"
              "def save(n, t): open(n, 'wb').write(t)\n"
              "save('0.code', triton.module_of('copy')); save('0.assembly', b'')\n"
              "save('reply.json', json.dumps({'modules': [{'block': [2048], 'shared_bytes': 0, "
              "'hidden_pointers': 2}]}).encode())\n"
              "os._exit(0)\n"),
      HasSubstr("2048 > 1024 threads in x of the device, line 1 (n=1000)"));
}

TEST_F(PythonBuild, a_source_sees_no_files_no_network_and_no_device) {
  if (compiler_.level != SandboxLevel::namespaces) GTEST_SKIP() << "weaker walls here";
  EXPECT_EQ(outcome(R"(
import os, socket
def tried(what):
    try:
        what()
        return "yes"
    except OSError:
        return "no"
import triton_adapter
raise ValueError([tried(lambda: open("/etc/passwd")), tried(lambda: socket.socket()),
                  tried(lambda: open("/dev/nvidiactl")), tried(lambda: open(triton_adapter.__file__, "a")),
                  tried(lambda: os.listdir("/proc")), tried(lambda: open("mine", "w"))])
)"),
            "compile_error module_error: line 15: ValueError: ['no', 'no', 'no', 'no', 'no', "
            "'yes']");
}

TEST_F(PythonBuild, what_one_source_changes_no_other_sees) {
  EXPECT_THAT(outcome("def broken(*a, **k): raise RuntimeError('patched')\n"
                      "triton.compile = broken\n"),
              HasSubstr("compile_error compile_error: RuntimeError: patched"));
  EXPECT_EQ(outcome(""), "ok : ");
}

}  // namespace
}  // namespace ke::python
