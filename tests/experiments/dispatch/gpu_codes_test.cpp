// Distinguishes variables in device memory, which exclude a kernel from a library, from constants.

#include "experiments/dispatch/gpu_codes.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "experiments/run/evaluators/cpu.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "fitness/sandbox/level.hpp"
#include "fitness/task.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

/// Compiles an object with g++ whose variables are in the sections that CUDA's compiler uses.
std::string object_of(const std::string& source) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "code.cpp") << source;
  const std::string stem = (folder.path() / "code").string();
  const std::string command = "/usr/bin/g++ -c -o " + stem + ".o " + stem + ".cpp";
  if (std::system(command.c_str()) != 0) return "";
  std::ifstream file(folder.path() / "code.o", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const std::string object = R"(
#define IN(name) __attribute__((section(name), used))
IN(".nv.global") unsigned counter;
struct Float32 { static int parts; };
IN(".nv.global.init") int Float32::parts = 1;
IN(".nv.shared.k") int tile[32];
)";

TEST(DeviceVariables, are_those_that_no_declaration_calls_constant) {
  const std::string source = R"(
__device__ unsigned counter;
struct Float32 { static constexpr int parts = 1; };
__device__ void f() { int parts = 2; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::ElementsAre("counter"));
}

TEST(DeviceVariables, are_none_where_constants_stand_outside_of_functions) {
  const std::string source = R"(
// int counter; not this one
template <bool FAST> __device__ float first(const float* x) { return x[0]; }
constexpr int other = 1, counter = 26;
namespace inner { struct Float32 { static constexpr int parts = 1; }; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::IsEmpty());
}

TEST(DeviceVariables, may_have_the_name_of_a_constant_inside_a_function) {
  const std::string source = R"(
__device__ const unsigned counter = 0;
struct Float32 { static int parts; };
__device__ void f() { const int parts = 2; }
)";
  const auto found = device_variables(object_of(object), source);
  ASSERT_TRUE(found);
  EXPECT_THAT(*found, testing::ElementsAre("parts"));
}

/// A device with compilers alone, as in a run on a GPU of `own`.
GpuBuilder amd_builder(const Task& task, const std::string& own,
                       const std::vector<std::string>& targets) {
  hip::AmdOptions options;
  options.targets = targets;
  options.include_dir = KE_SOURCE_DIR "/configs/backends/hip/include";
  options.tools.tools_dir = KE_BINARY_DIR;
  if (const auto report = probe_sandbox(KE_BINARY_DIR)) options.tools.level = report->level;
  auto compiler = hip::make_amd_device_compiler(task, options, own);
  EXPECT_TRUE(compiler) << compiler.error().message;
  return {*compiler, {own, hip::terms_of(own)}};
}

class AmdCodes : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = hip::missing_compiler(); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
    task_ = std::make_shared<const Task>(*in_language(**load_task("recsys/softmax", "."), "hip"));
    own_ = amd_builder(*task_, "gfx942", {"gfx90a", "gfx942"});
    codes_ = std::make_unique<GpuCodes>(task_, own_,
                                        std::vector{amd_builder(*task_, "gfx90a", {"gfx90a"})});
  }

  Digest built(const Kernel& kernel) const {
    return own_.compiler->build(kernel, own_.target)->build_hash;
  }

  std::shared_ptr<const Task> task_;
  GpuBuilder own_;
  std::unique_ptr<GpuCodes> codes_;
};

/// Processor in the header of a code object: EF_AMDGPU_MACH.
unsigned processor_of(const std::string& object) {
  return object.size() > 0x30 ? static_cast<unsigned char>(object[0x30]) : 0;
}

TEST_F(AmdCodes, are_made_for_each_target_of_the_run) {
  const Kernel kernel = make_seed(*task_, "anchor", *task_->kernel_source("anchor"))->kernel;
  const auto codes = codes_->make(kernel, built(kernel));
  ASSERT_TRUE(codes) << codes.error().message;
  ASSERT_EQ(codes->size(), 2);
  EXPECT_EQ((*codes)[0].arch, "gfx942");
  EXPECT_EQ((*codes)[1].arch, "gfx90a");
  ASSERT_EQ((*codes)[0].cubins.size(), 1);
  ASSERT_EQ((*codes)[1].cubins.size(), 1);
  constexpr unsigned gfx90a = 0x3f, gfx942 = 0x4c;  // LLVM's AMDGPU usage guide
  EXPECT_EQ(processor_of((*codes)[0].cubins[0]), gfx942);
  EXPECT_EQ(processor_of((*codes)[1].cubins[0]), gfx90a);
  EXPECT_EQ((*codes)[0].kernels, (*codes)[1].kernels);
}

TEST_F(AmdCodes, are_those_that_were_judged) {
  const Kernel kernel = make_seed(*task_, "anchor", *task_->kernel_source("anchor"))->kernel;
  const auto codes = codes_->make(kernel, sha256("another build"));
  ASSERT_FALSE(codes);
  EXPECT_THAT(codes.error().message, testing::HasSubstr("it is another kernel than the one"));
}

TEST_F(AmdCodes, keep_constants_and_no_variables) {
  const auto refusal = [&](const std::string& declared) {
    Kernel kernel;
    kernel.language = "hip";
    kernel.source =
        "// @launch k grid=(rows) block=(64)\n" + declared +
        "extern \"C\" __global__ void k(const float* x, float* y, size_t, size_t) { y[0] = x[0] + "
        "kept[threadIdx.x]++; }\n";
    if (declared.find("__constant__") != std::string::npos) {
      kernel.source.replace(kernel.source.find("]++"), 3, "]");
    }
    const auto codes = codes_->make(kernel, built(kernel));
    return codes ? std::string("taken") : codes.error().message;
  };
  EXPECT_EQ(refusal("__device__ int kept[64];\n"),
            "it keeps the __device__ variable 'kept', which calls on two streams would share");
  EXPECT_EQ(refusal("__device__ int kept[64] = {1};\n"),
            "it keeps the __device__ variable 'kept', which calls on two streams would share");
  EXPECT_EQ(refusal("__constant__ float kept[64] = {1};\n"), "taken");
}

TEST(DeviceVariables, are_looked_for_in_elf_files_alone) {
  EXPECT_FALSE(device_variables("no machine code", ""));
}

}  // namespace
}  // namespace ke
