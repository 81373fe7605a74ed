// The HIP runtime as the judge uses it, on a library whose GPU is the host.

#include "fitness/hip/hip_runtime.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <array>

#include "fitness/gpu/gpu_device.hpp"
#include "tests/fitness/hip/fake_hip.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke::hip {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class HipRuntime : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = fake_.open();
    ASSERT_TRUE(opened) << opened.error().message;
    driver_ = *std::move(opened);
    const auto entered = gpu::enter_gpu(*driver_, 0);
    ASSERT_TRUE(entered) << entered.error().message;
  }

  test::FakeHip fake_;
  std::shared_ptr<const gpu::Driver> driver_;
};

TEST_F(HipRuntime, describes_a_gpu_by_numbers_of_its_own) {
  const auto gpu = gpu::describe_gpu(*driver_, 0);
  ASSERT_TRUE(gpu) << gpu.error().message;
  EXPECT_EQ(gpu->terms.name, "AMD Instinct MI250X");
  EXPECT_EQ(gpu->arch, "gfx90a");  // without the features after it
  EXPECT_EQ(gpu->driver_version, "6.4");
  EXPECT_EQ(gpu->bus_id, "0000:c1:00.0");
  EXPECT_EQ(gpu->terms.sm_count, 110);
  EXPECT_EQ(gpu->terms.l2_bytes, 8 << 20);
  EXPECT_EQ(gpu->terms.smem_optin, 65'536);
  EXPECT_EQ(gpu->terms.max_threads, 1024);
  EXPECT_EQ(gpu->terms.max_block, (std::array<std::int64_t, 3>{1024, 1024, 1024}));
  EXPECT_EQ(gpu->terms.max_grid, (std::array<std::int64_t, 3>{2'147'483'647, 65'536, 65'536}));
  EXPECT_FALSE(
      gpu->terms.clusters);  // nor tensor maps or programmatic launches: such plans are refused
  EXPECT_TRUE(gpu->exports);
  EXPECT_FALSE(gpu->sees_host);
}

TEST_F(HipRuntime, workers_are_told_the_same_library) {
  EXPECT_EQ(driver_->library, test::fake_hip_path);
  EXPECT_EQ(driver_->api, "HIP");
}

TEST_F(HipRuntime, says_what_is_missing_and_why) {
  EXPECT_THAT(open_hip("/nowhere/libamdhip64.so").error().message,
              AllOf(StartsWith("no HIP runtime: "), HasSubstr("/nowhere/libamdhip64.so")));
  EXPECT_EQ(open_hip("libm.so.6").error().message,
            "libm.so.6 lacks hipRuntimeGetVersion; ROCm 6 or later is needed");
  fake_.says(test::FakeHip::version_6_4, 0);
  EXPECT_THAT(fake_.open().error().message,
              StartsWith(test::fake_hip_path + " sees no GPU; hipErrorNoDevice: "));
}

TEST_F(HipRuntime, a_machine_without_rocm_is_told_what_to_install) {
  const auto opened = open_hip("");
  if (opened) GTEST_SKIP() << "this machine has ROCm and an AMD GPU";
  EXPECT_THAT(opened.error().message,
              testing::AnyOf(HasSubstr("install ROCm 6 or later"),
                             HasSubstr("ROCm 6 or later is needed"), HasSubstr("sees no GPU")));
}

TEST(HipDevice, that_is_missing_or_closed_is_named) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(refused_device(folder.file("kfd")),
            folder.file("kfd") + " is missing: no AMD GPU, or its driver amdgpu is not loaded");
  folder.write("kfd", "");
  EXPECT_EQ(refused_device(folder.file("kfd")), "");
  if (geteuid() == 0) return;  // root may open anything
  std::filesystem::permissions(folder / "kfd", std::filesystem::perms::none);
  EXPECT_THAT(refused_device(folder.file("kfd")), HasSubstr("may not be opened"));
}

// Numbers of hipError_t in AMD's HIP reference.
TEST(HipErrors, are_those_that_the_judge_tells_apart) {
  for (const int same : {0, 1, 2, 200, 209, 214, 500, 700, 701, 710, 719, 720, 801, 999}) {
    EXPECT_EQ(code_of(same), same);
  }
  EXPECT_EQ(code_of(53), gpu::launch_failed);   // hipErrorPriorLaunchFailure
  EXPECT_EQ(code_of(218), gpu::invalid_image);  // Values of hipError_t in AMD's HIP reference.
  EXPECT_EQ(code_of(302), gpu::not_found);      // hipErrorSharedObjectSymbolNotFound
  EXPECT_EQ(code_of(1052), gpu::unknown);       // hipErrorRuntimeMemory
  EXPECT_EQ(code_of(1053), gpu::unknown);       // hipErrorRuntimeOther
}

TEST_F(HipRuntime, errors_have_names_of_hip) {
  fake_.says(test::FakeHip::version_6_4, 1, gpu::illegal_address);
  const gpu::Status status = driver_->context_synchronize();
  EXPECT_EQ(status, gpu::illegal_address);
  EXPECT_EQ(driver_->text(status),
            "hipErrorIllegalAddress: an illegal memory access was encountered");
  fake_.says(test::FakeHip::version_6_4, 1, 1053);
  EXPECT_EQ(driver_->context_synchronize(), gpu::unknown);
}

TEST_F(HipRuntime, what_amd_lacks_is_not_supported_or_does_nothing) {
  gpu::LaunchAttribute attribute;
  gpu::LaunchConfig config;
  config.attributes = &attribute;
  config.count = 1;
  for (const int id : {gpu::LaunchAttribute::cluster, gpu::LaunchAttribute::programmatic}) {
    attribute.id = id;
    EXPECT_EQ(driver_->launch(&config, nullptr, nullptr, nullptr), gpu::not_supported);
  }
  EXPECT_EQ(driver_->encode_tensor_map(nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr, nullptr,
                                       0, 0, 0, 0),
            gpu::not_supported);
  EXPECT_EQ(driver_->reset_persisting_l2(), gpu::success);
  EXPECT_EQ(driver_->function_set_attribute(nullptr, gpu::function_max_dynamic_shared, 60'000),
            gpu::success);
}

TEST_F(HipRuntime, cooperative_launches_take_a_function_of_their_own) {
  gpu::LaunchAttribute attribute;
  attribute.id = gpu::LaunchAttribute::cooperative;
  attribute.value.number = 1;
  gpu::LaunchConfig config;
  config.attributes = &attribute;
  config.count = 1;
  EXPECT_EQ(driver_->launch(&config, nullptr, nullptr, nullptr), gpu::cooperative_too_large);
}

/// Maps memory of `size` bytes of `handle` and returns its address.
char* mapped(const gpu::Driver& driver, gpu::MemoryHandle handle, std::size_t size) {
  gpu::Address base = 0;
  const gpu::MemoryAccess access;
  EXPECT_EQ(driver.reserve(&base, size, 0, 0, 0), gpu::success);
  EXPECT_EQ(driver.map_memory(base, size, 0, handle, 0), gpu::success);
  EXPECT_EQ(driver.allow_access(base, size, &access, 1), gpu::success);
  return reinterpret_cast<char*>(base);
}

// ROCm imports a descriptor by the address of its value, and since 7.1 by the value itself.
TEST_F(HipRuntime, memory_that_is_exported_and_imported_is_the_same) {
  for (const int version : {test::FakeHip::version_6_4, 70'151'831}) {
    fake_.says(version, 1);
    const auto driver = *fake_.open();
    gpu::MemoryProperties properties;
    std::size_t size = 0;
    ASSERT_EQ(driver->granularity(&size, &properties, 0), gpu::success);
    gpu::MemoryHandle handle = 0, again = 0;
    ASSERT_EQ(driver->create_memory(&handle, size, &properties, 0), gpu::success);
    int descriptor = -1;
    ASSERT_EQ(driver->export_memory(&descriptor, handle, 1, 0), gpu::success);
    void* value = reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor));
    ASSERT_EQ(driver->import_memory(&again, value, 1), gpu::success) << version;
    close(descriptor);
    char *here = mapped(*driver, handle, size), *there = mapped(*driver, again, size);
    EXPECT_NE(here, there);
    here[17] = 42;
    EXPECT_EQ(there[17], 42) << version;
  }
}

}  // namespace
}  // namespace ke::hip
