#include "fitness/gpu/gpu_watch.hpp"

#include <gtest/gtest.h>

#include "tests/fitness/gpu/fake_nvml.hpp"

namespace ke::gpu {
namespace {

using test::fake_bus_id;
using test::FakeNvml;

TEST(GpuWatch, tells_the_extent_of_what_it_saw) {
  const FakeNvml fake;
  GpuWatch watch(1, ManagedGpu::find(fake.nvml(), fake_bus_id));
  fake.says(1980, 3201, 41, 310'999);
  EXPECT_FALSE(watch.look());
  fake.says(1965, 3201, 45, 412'000, 0x4);
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(watch.text(),
            "GPU 1: SM 1965 to 1980 of 1980 MHz, memory 3201 of 3201 MHz, 41 to 45 C, 310 to 412 "
            "W, sw_power_cap");
  EXPECT_EQ(watch.slowdowns(), "");
}

TEST(GpuWatch, a_gpu_that_slows_itself_down_disturbs) {
  const FakeNvml fake;
  GpuWatch watch(0, ManagedGpu::find(fake.nvml(), fake_bus_id));
  fake.says(1200, 3201, 88, 690'000, 0x4 | 0x8 | 0x40);
  EXPECT_TRUE(watch.look());
  fake.says(1980, 3201, 70, 400'000);
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(watch.slowdowns(), "hw_slowdown, hw_thermal_slowdown");
  watch.begin();
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(watch.slowdowns(), "");
  EXPECT_EQ(watch.text(), "GPU 0: SM 1980 of 1980 MHz, memory 3201 of 3201 MHz, 70 C, 400 W");
}

TEST(GpuWatch, what_a_gpu_does_not_say_is_left_out) {
  const FakeNvml fake;
  fake.says(1980, 0, 0, 310'000, 0x1);
  GpuWatch watch(0, ManagedGpu::find(fake.nvml(), fake_bus_id));
  EXPECT_EQ(watch.text(), "GPU 0");
  watch.look();
  EXPECT_EQ(watch.text(), "GPU 0: SM 1980 of 1980 MHz, 310 W, gpu_idle");
}

TEST(GpuWatch, without_a_library_nothing_is_held_against_a_round) {
  GpuWatch watch(2, Error{Failure::device, "no NVML"});
  EXPECT_FALSE(watch.look());
  EXPECT_EQ(watch.text(), "GPU 2: no NVML");
  EXPECT_EQ(watch.slowdowns(), "");
}

}  // namespace
}  // namespace ke::gpu
