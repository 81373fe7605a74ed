#include "fitness/gpu/nvml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fitness/gpu/gpu_watch.hpp"
#include "tests/fitness/gpu/fake_nvml.hpp"

namespace ke::gpu {
namespace {

using test::fake_bus_id;
using test::FakeNvml;
using testing::HasSubstr;

TEST(Nvml, reads_what_a_gpu_says) {
  const FakeNvml fake;
  fake.says(1965, 3201, 44, 412'345, 0x44);
  const auto gpu = ManagedGpu::find(fake.nvml(), fake_bus_id);
  ASSERT_TRUE(gpu) << gpu.error().message;
  const GpuState state = gpu->state();
  EXPECT_EQ(state.sm_mhz, 1965);
  EXPECT_EQ(state.memory_mhz, 3201);
  EXPECT_EQ(state.celsius, 44);
  EXPECT_EQ(state.milliwatts, 412'345);
  EXPECT_EQ(state.reasons, 0x44u);
  EXPECT_EQ(gpu->most_sm_mhz(), 1980);
  EXPECT_EQ(gpu->most_memory_mhz(), 3201);
}

TEST(Nvml, what_a_gpu_does_not_support_is_absent) {
  const FakeNvml fake;
  fake.says(1980, 0, 0, 0);
  const GpuState state = ManagedGpu::find(fake.nvml(), fake_bus_id)->state();
  EXPECT_EQ(state.sm_mhz, 1980);
  EXPECT_FALSE(state.memory_mhz || state.celsius || state.milliwatts);
}

TEST(Nvml, drivers_before_535_name_the_reasons_otherwise) {
  const FakeNvml fake("fake_nvml_old");
  fake.says(1980, 3201, 41, 310'000, 0x20);
  EXPECT_EQ(ManagedGpu::find(fake.nvml(), fake_bus_id)->state().reasons, 0x20u);
}

TEST(Nvml, says_what_is_missing_and_why) {
  EXPECT_EQ(open_nvml("/nowhere/libnvidia-ml.so.1").error().message,
            "/nowhere/libnvidia-ml.so.1 cannot be opened, it comes with the NVIDIA driver: clocks "
            "and throttling are not seen");
  EXPECT_EQ(open_nvml("libm.so.6").error().message,
            "libm.so.6 lacks nvmlInit_v2: clocks and throttling are not seen");
  const FakeNvml fake;
  EXPECT_EQ(ManagedGpu::find(fake.nvml(), "0000:02:00.0").error().message,
            "NVML does not know the GPU at 0000:02:00.0: Not Found");
}

// Bits of nvmlClocksEventReasons in NVIDIA's NVML API reference.
TEST(ClockReasons, have_names) {
  EXPECT_EQ(names_of_reasons(0), "");
  EXPECT_EQ(names_of_reasons(0x1 | 0x4 | 0x40), "gpu_idle, sw_power_cap, hw_thermal_slowdown");
  EXPECT_EQ(names_of_reasons(0x8 | 0x2000), "hw_slowdown, 0x2000");
}

TEST(ClockReasons, heat_and_power_brakes_disturb_and_what_holds_for_both_arms_does_not) {
  for (const std::uint64_t one : {0x8, 0x20, 0x40, 0x80}) EXPECT_EQ(disturbing(one), one);
  for (const std::uint64_t one : {0x1, 0x2, 0x4, 0x10, 0x100}) EXPECT_EQ(disturbing(one), 0u);
}

}  // namespace
}  // namespace ke::gpu
