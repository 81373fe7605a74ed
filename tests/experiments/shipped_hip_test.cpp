// HIP kernels of configs/tasks/recsys compile for AMD GPUs, at default knobs and at random points,
// and are right on an NVIDIA GPU.

#include "experiments/run/evaluators/cpu.hpp"
#include "experiments/run/places.hpp"
#include "fitness/gpu/driver.hpp"
#include "fitness/task.hpp"
#include "tests/experiments/shell.hpp"
#include "tests/fitness/hip/sample_kernels.hpp"

namespace ke {
namespace {

using testing::HasSubstr;

constexpr int drawn_hip_points = 2;
constexpr char hip_tasks[] = KE_SOURCE_DIR "/configs/tasks/recsys/";

class ShippedHip : public test::Shell {
 protected:
  static Kernel defaults_of(const Task& task, const std::string& name) {
    const std::string& source = *task.kernel_source(name);
    const auto space = parse_kernel_space(name, source);
    EXPECT_TRUE(space) << space.error().message;
    return space->defaults(name, source);
  }
  void need_compiler() {
    if (const auto missing = hip::missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
  }
};

TEST_F(ShippedHip, kernels_compile_for_amd_gpus_at_many_points) {
  need_compiler();
  if (IsSkipped()) return;
  int ported = 0;
  for (const std::string& name : known_tasks()) {
    const auto task = load_task(name, ".");
    ASSERT_TRUE(task) << task.error().message;
    if ((*task)->kernel_source("hip") == nullptr) continue;
    ++ported;
    const auto port = in_language(**task, "hip");
    ASSERT_TRUE(port) << port.error().message;
    const hip::AmdBuilder builder(*port, test::amd_options());
    std::vector<Kernel> points{defaults_of(*port, "anchor"), defaults_of(*port, "naive")};
    const auto space = parse_kernel_space("anchor", points[0].source);
    EXPECT_GE(space->knobs.size(), 4u);
    RandomStream random(StreamKey{.seed = 1});
    for (int i = 0; i < drawn_hip_points; ++i) points.push_back(*space->sample(points[0], random));
    for (const Kernel& kernel : points) {
      PlannedKernel parts;
      ASSERT_FALSE(take_apart(kernel, hip::hip_file, parts)) << name;
      BuildOutcome built;
      const auto objects = builder.build(kernel, parts, built);
      ASSERT_TRUE(objects) << objects.error().message;
      EXPECT_EQ(built.verdict, Verdict::ok)
          << name << ": " << built.message << testing::PrintToString(kernel.knobs);
      EXPECT_EQ(built.measures["gfx942_spills"], 0) << testing::PrintToString(kernel.knobs);
    }
  }
  EXPECT_GE(ported, 2);
}

TEST_F(ShippedHip, one_kernel_is_checked_without_a_gpu) {
  need_compiler();
  if (IsSkipped()) return;
  const std::string softmax = std::string(hip_tasks) + "softmax ";
  ASSERT_EQ(call("eval --only compile --json " + softmax + hip_tasks + "softmax/structured.hip"), 0)
      << output_;
  EXPECT_THAT(output_, HasSubstr("\"verdict\": \"ok\""));
  EXPECT_THAT(output_, HasSubstr("\"gfx90a_vgprs\""));
  write("wrong.hip",
        "// @launch softmax grid=(rows) block=(64)\nextern \"C\" __global__ void\n"
        "softmax(const float* x, float* y, size_t rows, size_t cols) { y[0] = z; }\n");
  EXPECT_EQ(call("eval --only compile " + softmax + "wrong.hip device.targets=[gfx942]"), 1);
  EXPECT_THAT(output_, HasSubstr("gfx942: line 3: use of undeclared identifier 'z'"));
  EXPECT_THAT(output_, HasSubstr("kernel.hip:3:"));
}

TEST_F(ShippedHip, tasks_without_hip_say_so) {
  const std::string kernel = std::string(hip_tasks) + "softmax/structured.hip";
  EXPECT_EQ(call("eval --only compile recsys/cumsum " + kernel), 2);
  EXPECT_THAT(output_, HasSubstr("task 'cumsum' has kernels in cuda and none in hip"));
}

TEST_F(ShippedHip, kernels_are_right_on_an_nvidia_gpu) {
  if (const auto driver = gpu::load_driver(); !driver) GTEST_SKIP() << driver.error().message;
  for (const std::string task : {"softmax", "rmsnorm"}) {
    EXPECT_EQ(call("eval --only correctness recsys/" + task + " " + hip_tasks + task +
                   "/structured.hip device.targets=[]"),
              0)
        << output_;
  }
}

// Uses tests/support/hip_on_cuda.cpp, a HIP runtime on an NVIDIA GPU.
TEST_F(ShippedHip, kernels_are_right_through_the_hip_runtime_on_an_nvidia_gpu) {
  if (const auto driver = gpu::load_driver(); !driver) GTEST_SKIP() << driver.error().message;
  for (const std::string task : {"softmax", "rmsnorm"}) {
    EXPECT_EQ(call("eval --only correctness recsys/" + task + " " + hip_tasks + task +
                   "/structured.hip device.targets=[] device.vendor=amd "
                   "device.hip_library=" KE_BINARY_DIR "/libhip_on_cuda.so"),
              0)
        << output_;
  }
}

TEST_F(ShippedHip, without_rocm_a_vendor_that_was_asked_for_is_an_error) {
  const std::string softmax = std::string(hip_tasks) + "softmax/structured.hip";
  EXPECT_EQ(call("eval --only correctness recsys/softmax " + softmax +
                 " device.vendor=amd device.hip_library=/nowhere/libamdhip64.so"),
            4);
  EXPECT_THAT(output_, HasSubstr("no HIP runtime: /nowhere/libamdhip64.so"));
}

TEST_F(ShippedHip, experiments_for_amd_gpus_have_no_axes_of_ptx) {
  const std::string check = "check " KE_SOURCE_DIR
                            "/configs/recsys-h200.yaml device=hip device.vendor=amd "
                            "'task=[recsys/softmax]'";
  EXPECT_EQ(call(check), 2);
  EXPECT_THAT(output_, HasSubstr("ptx_instructions is not measured here (known: registers"));
  write("amd.yaml",
        "schema: kernelevolve/1\ntask: recsys/softmax\nbudget: {evaluations: 9}\n"
        "device: {kind: hip, vendor: amd}\n");
  EXPECT_EQ(call("check amd.yaml --config"), 0) << output_;
  EXPECT_THAT(output_, HasSubstr("shared_bytes"));
}

}  // namespace
}  // namespace ke
