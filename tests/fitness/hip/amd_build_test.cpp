#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>

#include "tests/fitness/hip/sample_kernels.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::hip {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr char readelf[] = "/usr/bin/llvm-readelf-19";

/// Compiles in the sandbox; skips on a machine without the compiler.
class AmdBuild : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
    builder_ = std::make_unique<AmdBuilder>(task_, test::amd_options());
  }

  BuildOutcome build(const std::string& source) {
    const Kernel kernel = test::hip_kernel(source);
    PlannedKernel parts;
    EXPECT_FALSE(take_apart(kernel, hip_file, parts));
    BuildOutcome built;
    auto objects = builder_->build(kernel, parts, built);
    EXPECT_TRUE(objects) << (objects ? "" : objects.error().message);
    if (objects) objects_ = *std::move(objects);
    return built;
  }

  /// Number after `key` in another program's listing of a code object's notes.
  double noted(const std::string& object, const std::string& key) {
    std::ofstream(folder_.file("kernel.co"), std::ios::binary) << object;
    FILE* pipe =
        popen((std::string(readelf) + " --notes " + folder_.file("kernel.co")).c_str(), "r");
    std::array<char, 512> line{};
    double value = -1;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
      const std::string_view text(line.data());
      const std::size_t at = text.find("." + key + ":");
      if (at != text.npos) value = std::atof(text.data() + at + key.size() + 2);
    }
    pclose(pipe);
    return value;
  }

  test::TemporaryFolder folder_;
  Task task_ = test::copy_task();
  std::unique_ptr<AmdBuilder> builder_;
  std::vector<std::string> objects_;
};

TEST_F(AmdBuild, gives_a_code_object_for_each_target) {
  const BuildOutcome built = build(test::copy_kernel);
  ASSERT_EQ(built.verdict, Verdict::ok) << built.message;
  ASSERT_EQ(objects_.size(), 2u);
  for (const std::string& object : objects_) EXPECT_EQ(object.substr(1, 3), "ELF");
  EXPECT_NE(objects_[0], objects_[1]);
  EXPECT_GT(built.measures.at("gfx90a_vgprs"), 0);
  EXPECT_EQ(built.measures.at("gfx942_waves"), 8);
  const auto first = objects_;
  build(test::copy_kernel);
  EXPECT_EQ(objects_, first);
}

TEST_F(AmdBuild, resources_are_those_of_the_code_objects_notes) {
  if (access(readelf, X_OK) != 0) GTEST_SKIP() << readelf << " is missing; apt install llvm-19";
  const BuildOutcome built =
      build(test::copy_plan +
            "extern \"C\" __global__ void __launch_bounds__(320) copy(const float* x, float* y, "
            "size_t n) {\n"
            "  __shared__ float shared[300];\n"
            "  volatile float own[40];\n"
            "  for (int i = 0; i < 40; ++i) own[i] = x[i];\n"
            "  shared[threadIdx.x] = own[n % 40];\n"
            "  __syncthreads();\n"
            "  y[threadIdx.x] = shared[299 - threadIdx.x] + expf(own[threadIdx.x % 40]);\n}\n");
  ASSERT_EQ(built.verdict, Verdict::ok) << built.message;
  for (std::size_t i = 0; i < objects_.size(); ++i) {
    const std::string target(amd_targets[i]);
    const auto measured = [&](const char* name) { return built.measures.at(target + name); };
    EXPECT_EQ(measured("_vgprs"), noted(objects_[i], "vgpr_count")) << target;
    EXPECT_EQ(measured("_sgprs"), noted(objects_[i], "sgpr_count")) << target;
    EXPECT_EQ(measured("_agprs"), noted(objects_[i], "agpr_count")) << target;
    EXPECT_EQ(measured("_spills"),
              noted(objects_[i], "vgpr_spill_count") + noted(objects_[i], "sgpr_spill_count"))
        << target;
    EXPECT_EQ(measured("_scratch_bytes"), noted(objects_[i], "private_segment_fixed_size"));
    EXPECT_GT(measured("_scratch_bytes"), 0);
    EXPECT_EQ(measured("_lds_bytes"), noted(objects_[i], "group_segment_fixed_size"));
    EXPECT_EQ(measured("_lds_bytes"), 1200);
    EXPECT_EQ(noted(objects_[i], "wavefront_size"), 64);
    EXPECT_EQ(noted(objects_[i], "max_flat_workgroup_size"), 320);
  }
}

TEST_F(AmdBuild, our_header_offers_what_kernels_of_both_vendors_use) {
  const BuildOutcome built = build(
      "#include <hip/hip_fp16.h>\n#include <hip/hip_bf16.h>\n" + test::copy_plan +
      "static_assert(warpSize == 64);\n"
      "extern \"C\" __global__ void __launch_bounds__(256) copy(const float* x, float* y, size_t "
      "n) {\n"
      "  HIP_DYNAMIC_SHARED(float, shared)\n"
      "  __shared__ int count;\n"
      "  const unsigned at = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x + gridDim.y;\n"
      "  float v = x[at];\n"
      "  v += __shfl(v, 3) + __shfl_up(v, 1) + __shfl_down(v, 2, 32) + __shfl_xor(v, 16);\n"
      "  const double d = __shfl_xor(double(v), 1);\n"
      "  if (__any(v > 1) && !__all(v > 2)) v += __popcll(__ballot(v < 3)) + __lane_id();\n"
      "  atomicAdd(&count, 1); atomicMax(&count, 2); atomicCAS(&count, 1, 2); atomicAdd(y, 1);\n"
      "  v = expf(v) + logf(v) + sqrtf(v) + __expf(v) + __fdividef(v, 2) + fmaxf(min(v, 1.f), 0);\n"
      "  const float4 four = make_float4(v, v, __half2float(__float2half(v)),\n"
      "                                  __bfloat162float(__float2bfloat16(v)));\n"
      "  shared[at % 4] = four.z + four.w + isfinite(v) + __int_as_float(__float_as_int(v));\n"
      "  __threadfence_block(); __threadfence(); __syncthreads();\n"
      "  y[at] = shared[0] + static_cast<float>(d) + count + __clz(3) + __ffs(4);\n}\n");
  EXPECT_EQ(built.verdict, Verdict::ok) << built.message;
}

TEST_F(AmdBuild, complaints_of_the_compiler_are_diagnostics_with_the_target) {
  const BuildOutcome built = build(test::copy_plan + "__global__ void k() { x = 1; }\n");
  EXPECT_EQ(built.verdict, Verdict::compile_error);
  EXPECT_EQ(built.message, "gfx90a: line 2: use of undeclared identifier 'x'");
  ASSERT_FALSE(built.diagnostics.empty());
  EXPECT_EQ(built.diagnostics[0].line, 2);
  EXPECT_EQ(built.diagnostics[0].message, "gfx90a: use of undeclared identifier 'x'");
}

TEST_F(AmdBuild, what_does_not_link_or_fit_is_a_compile_error) {
  const BuildOutcome missing =
      build(test::copy_plan +
            "extern \"C\" __device__ float tanhf(float);\n"
            "extern \"C\" __global__ void copy(const float* x, float* y) { *y = tanhf(*x); }\n");
  EXPECT_EQ(missing.verdict, Verdict::compile_error);
  EXPECT_THAT(missing.message, StartsWith("gfx90a: "));
  EXPECT_THAT(missing.message, HasSubstr("undefined hidden symbol: tanhf"));
  const BuildOutcome large = build(test::copy_plan +
                                   "extern \"C\" __global__ void copy(const float* x, float* y) {\n"
                                   "  __shared__ float room[20000];\n  room[*(const int*)x] = *x;\n"
                                   "  __syncthreads();\n  *y = room[*(const int*)(x + 1)];\n}\n");
  EXPECT_EQ(large.verdict, Verdict::compile_error);
  EXPECT_THAT(large.message, HasSubstr("80000"));
}

TEST_F(AmdBuild, plans_and_flags_are_checked_for_the_targets) {
  const BuildOutcome plan = build("// @launch copy grid=(1) block=(256) shared=70000\n" +
                                  test::copy_kernel.substr(test::copy_plan.size()));
  EXPECT_EQ(plan.reason, "bad_plan");
  EXPECT_THAT(plan.message, StartsWith("gfx90a: shared = 70000"));
  const BuildOutcome flag = build("// @flags --use_fast_math\n" + test::copy_kernel);
  EXPECT_EQ(flag.reason, "forbidden_flag");
  EXPECT_EQ(flag.message, "flag '--use_fast_math' is not one that kernels may use");
}

TEST_F(AmdBuild, headers_of_the_machine_do_not_exist) {
  const BuildOutcome built = build("#include <stdio.h>\n" + test::copy_kernel);
  EXPECT_EQ(built.message, "gfx90a: line 1: 'stdio.h' file not found");
}

}  // namespace
}  // namespace ke::hip
