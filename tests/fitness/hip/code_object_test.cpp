// Kernel parameters compared with llvm-readelf's reading of the same notes, and damaged files.

#include "fitness/hip/code_object.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "core/text.hpp"
#include "fitness/gpu/judge_kernels.hpp"
#include "fitness/hip/amd_compiler.hpp"
#include "tests/fitness/hip/fake_hip.hpp"
#include "tests/fitness/hip/sample_kernels.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::hip {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr char note_reader[] = "/usr/bin/llvm-readelf-19";

/// Code objects of both targets; skips on a machine without the compiler.
class CodeObject : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
  }

  std::string compiled(const std::string& source) {
    const auto compiler =
        make_amd_device_compiler(task_, test::amd_options(), std::string(GetParam()));
    EXPECT_TRUE(compiler) << compiler.error().message;
    auto object = (*compiler)->compile_own(source, {});
    EXPECT_TRUE(object) << object.error().message;
    return object ? *std::move(object) : "";
  }

  /// Parameters listed by another program, which writes each argument's offset, size and kind in
  /// this order, and the kernel's name after its arguments.
  KernelParameters listed(const std::string& object) {
    folder_.write("kernel.co", object);
    FILE* pipe =
        popen((std::string(note_reader) + " --notes " + folder_.file("kernel.co")).c_str(), "r");
    KernelParameters all;
    std::vector<KernelParameter> list;
    std::array<char, 512> buffer{};
    const auto value = [](std::string_view line) { return line.substr(line.rfind(' ') + 1); };
    while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) {
      const std::string_view line = trim(buffer.data());
      const auto has = [&](const char* key) { return line.find(key) != line.npos; };
      if (has(".offset:")) list.push_back({std::stoul(std::string(value(line))), 0});
      if (has(".size:")) list.back().bytes = std::stoul(std::string(value(line)));
      if (has(".value_kind:") && value(line).starts_with("hidden_")) list.pop_back();
      if (line.starts_with(".name:")) all[std::string(value(line))] = std::exchange(list, {});
    }
    pclose(pipe);
    return all;
  }

  test::TemporaryFolder folder_;
  Task task_ = test::copy_task();
};

INSTANTIATE_TEST_SUITE_P(targets, CodeObject, testing::ValuesIn(amd_targets),
                         [](const auto& one) { return std::string(one.param); });

constexpr char kernels[] = R"(
struct Three { int of[3]; };
extern "C" __global__ void none() {}
extern "C" __global__ void mixed(const float* x, unsigned char c, double d, Three t, char e,
                                 size_t n) {
  ((double*)x)[n + blockDim.x * gridDim.x] = d + c + t.of[2] + e;
}
)";

TEST_P(CodeObject, says_where_parameters_lie_and_how_large_they_are) {
  const auto found = kernel_parameters(compiled(kernels));
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2u);
  EXPECT_TRUE(found->at("none").empty());
  using P = KernelParameter;
  EXPECT_THAT(found->at("mixed"),
              ElementsAre(P{0, 8}, P{8, 1}, P{16, 8}, P{24, 12}, P{36, 1}, P{40, 8}));
}

TEST_P(CodeObject, parameters_are_those_that_readelf_lists) {
  if (access(note_reader, X_OK) != 0)
    GTEST_SKIP() << note_reader << " is missing; apt install llvm-19";
  for (const std::string& source : {std::string(kernels), std::string(gpu::judge_kernels)}) {
    const std::string object = compiled(source);
    const auto found = kernel_parameters(object);
    ASSERT_TRUE(found) << found.error().message;
    const KernelParameters wanted = listed(object);
    EXPECT_GE(wanted.size(), 2u);
    EXPECT_EQ(*found, wanted);
  }
}

TEST_P(CodeObject, hip_tells_them_of_loaded_kernels) {
  const test::FakeHip fake;
  const auto opened = fake.open();
  ASSERT_TRUE(opened) << opened.error().message;
  const gpu::Driver& driver = **opened;
  gpu::Module module = nullptr;
  gpu::Function function = nullptr;
  ASSERT_EQ(driver.module_load(&module, compiled(kernels)), gpu::success);
  ASSERT_EQ(driver.module_function(&function, module, "mixed"), gpu::success);
  std::size_t offset = 0, bytes = 0;
  EXPECT_EQ(driver.function_parameter(function, 3, &offset, &bytes), gpu::success);
  EXPECT_EQ(offset, 24u);
  EXPECT_EQ(bytes, 12u);
  EXPECT_EQ(driver.function_parameter(function, 6, &offset, &bytes), gpu::invalid_value);
  EXPECT_EQ(driver.module_unload(module), gpu::success);
}

TEST_P(CodeObject, damaged_ones_are_errors_or_tell_less) {
  std::string object = compiled(kernels);
  for (std::size_t size = 0; size < object.size(); size += 97) {
    EXPECT_FALSE(kernel_parameters(std::string_view(object).substr(0, size))) << size;
  }
  const std::size_t note = object.find("amdhsa.kernels");
  ASSERT_NE(note, object.npos);
  for (std::size_t i = note > 64 ? note - 64 : 0; i < note + 600; ++i) {
    std::string damaged = object;
    damaged[i] = static_cast<char>(~damaged[i]);
    const auto found = kernel_parameters(damaged);
    if (found) {
      EXPECT_LE(found->size(), 2u);
    }
  }
}

TEST(NoCodeObject, is_an_error) {
  EXPECT_FALSE(kernel_parameters("text"));
  const auto own = kernel_parameters(test::TemporaryFolder().read("/proc/self/exe"));
  ASSERT_FALSE(own);
  EXPECT_THAT(own.error().message, HasSubstr("it has no note AMDGPU"));
}

TEST(AmdDeviceCompiler, takes_gpus_that_kernels_are_built_for) {
  const Task task = test::copy_task();
  const auto other = make_amd_device_compiler(task, test::amd_options(), "gfx1100");
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message,
            "the GPU is a 'gfx1100', and kernels are built for gfx90a, gfx942 alone");
}

}  // namespace
}  // namespace ke::hip
