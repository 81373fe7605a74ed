#include <gmock/gmock.h>

#include "fitness/cuda/nvrtc_compiler.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "fitness/hip/hip_evaluator.hpp"
#include "tests/fitness/hip/fake_hip.hpp"
#include "tests/fitness/hip/sample_kernels.hpp"
#include "tests/support/nvrtc_place.hpp"

namespace ke::hip {
namespace {

using testing::HasSubstr;

/// Compiles HIP with NVRTC; skips on a machine without that compiler.
class HipDialectTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto place = nvrtc_place();
    if (!place) GTEST_SKIP() << place.error().message;
    nvrtc_ = place->library;
  }

  gpu::GpuBuiltPtr build(const Kernel& kernel, std::vector<std::string> targets = {}) {
    AmdOptions options = test::amd_options();
    options.targets = std::move(targets);
    gpu::GpuOptions nvidia;
    nvidia.tools_dir = KE_BINARY_DIR;
    nvidia.nvrtc = nvrtc_;
    nvidia.dialect = make_hip_dialect(task_, options, "");
    auto built = cuda::make_nvrtc_compiler(task_, nvidia)->build(kernel, {"sm_90a", {}});
    EXPECT_TRUE(built) << (built ? "" : built.error().message);
    return built ? std::make_shared<const gpu::GpuBuilt>(*std::move(built)) : nullptr;
  }

  std::string nvrtc_;
  Task task_ = test::copy_task();
};

TEST_F(HipDialectTest, the_same_source_gives_machine_code_for_nvidia) {
  Kernel kernel = test::hip_kernel(test::copy_kernel);
  const auto hip = build(kernel);
  ASSERT_EQ(hip->verdict, Verdict::ok) << hip->message;
  kernel.language = "cuda";
  EXPECT_EQ(build(kernel)->build_hash, hip->build_hash);
}

TEST_F(HipDialectTest, our_header_offers_names_of_hip_there) {
  const auto built = build(test::hip_kernel(
      "#include <hip/hip_runtime.h>\n#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\n"
      "// @flags -std=c++17 -fno-hip-fp32-correctly-rounded-divide-sqrt\n" +
      test::copy_plan +
      "static_assert(warpSize == 32);\n"
      "extern \"C\" __global__ void __launch_bounds__(256) copy(const float* x, float* y, size_t "
      "n) {\n"
      "  HIP_DYNAMIC_SHARED(float, shared)\n"
      "  const unsigned at = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;\n"
      "  float v = x[at];\n"
      "  v += __shfl(v, 3) + __shfl_up(v, 1) + __shfl_down(v, 2, 16) + __shfl_xor(v, 16);\n"
      "  if (__any(v > 1) && !__all(v > 2)) v += __popcll(__ballot(v < 3)) + __lane_id();\n"
      "  const __hip_bfloat16 b = __float2bfloat16(v);\n"
      "  shared[at % 4] = __half2float(__float2half(v)) + __bfloat162float(b);\n"
      "  __syncthreads();\n"
      "  y[at] = shared[0];\n}\n"));
  ASSERT_EQ(built->verdict, Verdict::ok) << built->message;
  EXPECT_GE(built->measures.at("shuffles"), 4);
}

TEST_F(HipDialectTest, builtins_of_amd_are_refused_with_advice) {
  const auto built = build(
      test::hip_kernel(test::copy_plan +
                       "extern \"C\" __global__ void copy(const float* x, float* y, size_t n) {\n"
                       "  y[0] = __builtin_amdgcn_rcpf(x[0]);\n}\n"));
  EXPECT_EQ(built->verdict, Verdict::compile_error);
  EXPECT_EQ(built->message,
            "line 3: identifier \"__builtin_amdgcn_rcpf\" is undefined on NVIDIA GPUs; guard it "
            "with #ifdef __HIP_PLATFORM_AMD__");
  EXPECT_EQ(built->diagnostics[0].file, "kernel.hip");
}

TEST_F(HipDialectTest, what_a_target_refuses_is_refused) {
  if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
  const Kernel nvidia_only =
      test::hip_kernel(test::copy_plan +
                       "extern \"C\" __global__ void copy(const float* x, float* y, size_t n) {\n"
                       "  y[0] = __ldcs(x);\n}\n");
  EXPECT_EQ(build(nvidia_only)->verdict, Verdict::ok);
  const auto built = build(nvidia_only, {"gfx942"});
  EXPECT_EQ(built->verdict, Verdict::compile_error);
  EXPECT_THAT(built->message, HasSubstr("gfx942: line 3: use of undeclared identifier '__ldcs'"));
  const auto both = build(test::hip_kernel(test::copy_kernel), {"gfx942"});
  EXPECT_GT(both->measures.at("gfx942_vgprs"), 0);
  EXPECT_GT(both->measures.at("registers"), 0);
}

TEST(HipOptions, unknown_targets_are_named) {
  Node targets;
  targets.kind = Node::Kind::scalar;
  targets.scalar = "gfx1100";
  Node document;
  document.kind = Node::Kind::map;
  document.set("targets", std::move(targets));
  ParamLog log;
  Params device(&document, "device", log);
  HipOptions::read(device);
  ASSERT_EQ(log.errors.size(), 1u);
  EXPECT_THAT(log.errors[0], HasSubstr("names 'gfx1100', which is not one of gfx90a, gfx942"));
}

TEST(HipProbe, names_gpus_of_amd_or_what_is_missing) {
  const test::FakeHip fake;
  const auto found = probe_hip(test::amd_options(), test::fake_hip_path);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].ok, missing_compiler().empty()) << found[0].detail;
  EXPECT_TRUE(found[1].ok);
  EXPECT_EQ(found[1].detail, "GPU 0: AMD Instinct MI250X, gfx90a, 110 compute units, HIP 6.4");
  EXPECT_EQ(found[2].detail, "AMD Instinct MI250X, through HIP");
  const auto none = probe_hip(test::amd_options(), "/nowhere/libamdhip64.so");
  EXPECT_FALSE(none[1].ok);
  EXPECT_THAT(none[1].detail, HasSubstr("/nowhere/libamdhip64.so"));
}

TEST(HipVendor, chooses_what_runs_kernels) {
  const test::FakeHip fake;
  const auto chosen = [](const std::string& vendor, const std::string& library) {
    return choose_runtime({.vendor = vendor, .hip_library = library});
  };
  EXPECT_EQ((*chosen("auto", test::fake_hip_path))->api, "HIP");
  EXPECT_EQ((*chosen("amd", test::fake_hip_path))->api, "HIP");
  EXPECT_EQ(*chosen("nvidia", test::fake_hip_path), nullptr);
  EXPECT_FALSE(chosen("amd", "libm.so.6"));
  EXPECT_FALSE(chosen("auto", "libm.so.6"));  // it was named explicitly
  fake.says(test::FakeHip::version_6_4, 0);
  EXPECT_FALSE(chosen("amd", test::fake_hip_path));
  if (open_hip("")) return;
  const auto other = chosen("auto", "");
  EXPECT_EQ(static_cast<bool>(other), static_cast<bool>(gpu::load_driver()));
  if (other) {
    EXPECT_EQ(*other, nullptr);
  } else {
    EXPECT_THAT(other.error().message, HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(other.error().message, HasSubstr("no HIP runtime"));
  }
}

}  // namespace
}  // namespace ke::hip
