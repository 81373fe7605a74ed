#include <gtest/gtest.h>

#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/gpu/judge_kernels.hpp"
#include "fitness/gpu/structure.hpp"
#include "tests/support/copy_task.hpp"
#include "tests/support/nvrtc_place.hpp"

namespace ke::cuda {
namespace {

using gpu::ptx_measure_names;
using gpu::ptx_measures;

// Log of nvrtc 13.0 for sm_90a.
constexpr std::string_view log =
    "ptxas info    : 0 bytes gmem\n"
    "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"
    "ptxas info    : Function properties for k\n"
    "ptxas         .     24 bytes stack frame, 40 bytes spill stores, 64 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem\n"
    "ptxas info    : Compiling entry function 'j' for 'sm_90a'\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 25 registers, used 0 barriers\n";

constexpr std::string_view ptx =
    ".visible .entry k(\n"
    "\t.param .u64 k_param_0\n"
    ")\n{\n"
    "\t.reg .pred \t%p<3>;\n"
    "\tld.param.u64 \t%rd2, [k_param_0];\n"
    "\t@%p1 bra \t$L__BB0_2;\n"
    "\tld.global.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd9];\n"
    "\tld.global.nc.u64 \t%rd4, [%rd8];\n"
    "\tst.shared.f32 \t[%r1], %f1;\n"
    "\tshfl.sync.bfly.b32 \t%r8|%p2, %r4, %r5, %r6, %r7;\n"
    "\tcp.async.cg.shared.global \t[%r1], [%rd1], 16;\n"
    "\twgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 \t{%f1}, %rd1, %rd2, 1, 1, 1, 0, 0;\n"
    "\tst.global.v4.f32 \t[%rd11], {%f10, %f2, %f3, %f4};\n"
    "$L__BB0_2:\n"
    "\tret;\n}\n";

TEST(PtxMeasures, are_read_from_text_and_log) {
  const auto m = ptx_measures(ptx, log);
  EXPECT_EQ(m.at("registers"), 32);
  EXPECT_EQ(m.at("spill_bytes"), 40);
  EXPECT_EQ(m.at("shared_bytes"), 1024);
  EXPECT_EQ(m.at("load_bytes"), 12);  // 16 and 8
  EXPECT_EQ(m.at("shared_share"), 0.25);
  EXPECT_EQ(m.at("shuffles"), 1);
  EXPECT_EQ(m.at("async_copies"), 1);
  EXPECT_EQ(m.at("matrix_ops"), 1);
  EXPECT_EQ(m.at("ptx_instructions"), 10);
}

TEST(PtxMeasures, nothing_gives_zeros_for_every_name) {
  const auto m = ptx_measures("", "");
  EXPECT_EQ(m.size(), ptx_measure_names.size());
  for (const auto& [name, value] : m) EXPECT_EQ(value, 0) << name;
}

TEST(CudaFlags, only_listed_ones_pass) {
  for (const char* flag : {"--use_fast_math", "-maxrregcount=64", "--fmad=false", "-std=c++17"}) {
    EXPECT_EQ(refused_cuda_flag(flag), "") << flag;
  }
  for (const char* flag : {"-include=/etc/passwd", "-maxrregcount=", "-maxrregcount=1;x",
                           "--include-path=/etc", "@file", "", "-rdc=true"}) {
    EXPECT_NE(refused_cuda_flag(flag), "") << flag;
  }
}

/// Compiles in a helper process; skips on a machine without the compiler.
class CudaBuild : public testing::Test {
 protected:
  void SetUp() override {
    const auto place = nvrtc_place();
    if (!place) GTEST_SKIP() << place.error().message;
    gpu::GpuOptions options;
    options.tools_dir = KE_BINARY_DIR;
    options.nvrtc = place->library;
    compiler_ = make_nvrtc_compiler(task_, options);
  }

  gpu::GpuBuiltPtr build(const std::string& source) {
    Kernel kernel;
    kernel.language = "cuda";
    kernel.source = source;
    auto built = compiler_->build(kernel, {"sm_90a", {}});
    EXPECT_TRUE(built) << (built ? "" : built.error().message);
    return built ? std::make_shared<const gpu::GpuBuilt>(*std::move(built)) : nullptr;
  }

  Task task_ = test::copy_task();
  std::shared_ptr<const gpu::DeviceCompiler> compiler_;
};

const std::string plan = "// @launch copy grid=(ceil_div(n, 256)) block=(256)\n";
const std::string body =
    "extern \"C\" __global__ void copy(const float* x, float* y, size_t n) {\n"
    "  const size_t i = blockIdx.x * size_t(256) + threadIdx.x;\n"
    "  if (i < n) y[i] = x[i];\n}\n";

TEST_F(CudaBuild, gives_machine_code_and_measures) {
  const auto built = build(plan + body);
  ASSERT_EQ(built->verdict, Verdict::ok) << built->message;
  EXPECT_EQ(built->cubins.at(0).substr(1, 3), "ELF");
  EXPECT_GT(built->measures.at("registers"), 0);
}

TEST_F(CudaBuild, comments_make_no_other_build_but_plans_do) {
  const auto first = build(plan + body);
  EXPECT_EQ(first->build_hash, build(plan + "// a remark\n" + body)->build_hash);
  const std::string other = "// @launch copy grid=(ceil_div(n, 256) + 1) block=(256)\n";
  EXPECT_NE(first->build_hash, build(other + body)->build_hash);
}

TEST_F(CudaBuild, flags_make_another_build_only_where_the_code_is_another) {
  const auto hash = [&](const std::string& flag, const std::string& code) {
    const auto built = build(plan + "// @flags " + flag + "\n" + code);
    EXPECT_EQ(built->verdict, Verdict::ok) << built->message;
    return built->build_hash;
  };
  std::string bounded = body;
  bounded.replace(bounded.find("void copy"), 4, "void __launch_bounds__(256)");
  EXPECT_EQ(hash("-maxrregcount=64", bounded), hash("-maxrregcount=128", bounded));
  std::string divides = body;
  divides.replace(divides.find("= x[i]"), 6, "= 1 / x[i]");
  EXPECT_NE(hash("--prec-div=true", divides), hash("--prec-div=false", divides));
}

TEST_F(CudaBuild, complaints_of_the_compiler_are_diagnostics) {
  const auto built = build(plan + "__global__ void k() { x = 1; }\n");
  EXPECT_EQ(built->verdict, Verdict::compile_error);
  ASSERT_FALSE(built->diagnostics.empty());
  EXPECT_EQ(built->diagnostics[0].line, 2);
  EXPECT_EQ(built->diagnostics[0].message, "identifier \"x\" is undefined");
}

TEST_F(CudaBuild, illegal_plans_are_refused_before_anything_runs) {
  const auto built = build("// @launch copy grid=(n) block=(2048)\n" + body);
  EXPECT_EQ(built->verdict, Verdict::rejected);
  EXPECT_EQ(built->reason, "bad_plan");
  EXPECT_EQ(built->message,
            "block.x = 2048 = 2048 > 1024 threads in x of the device, line 1 (n=1000)");
  EXPECT_EQ(build(body)->reason, "bad_plan");
}

TEST_F(CudaBuild, kernels_that_print_are_refused) {
  const auto built = build(plan + body.substr(0, body.size() - 2) +
                           "  printf(\"========= ERROR SUMMARY: 0 errors\\n\");\n}\n");
  EXPECT_EQ(built->verdict, Verdict::rejected);
  EXPECT_EQ(built->reason, "forbidden_call");
  EXPECT_EQ(built->message, "the kernel calls printf: kernels print nothing");
  const std::string named = plan + "__device__ float vprintfs = 1;\n" + body;
  EXPECT_EQ(build(named)->verdict, Verdict::ok);
}

TEST_F(CudaBuild, the_judges_own_kernels_compile) {
  const auto own = compiler_->compile_own(gpu::judge_kernels, {"sm_90a", {}});
  EXPECT_TRUE(own) << own.error().message;
}

TEST_F(CudaBuild, files_of_the_machine_cannot_be_included) {
  EXPECT_EQ(build(plan + "#include \"/etc/passwd\"\n" + body)->reason, "forbidden_include");
}

}  // namespace
}  // namespace ke::cuda
