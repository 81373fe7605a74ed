// Device sheets for prompts, from made-up figures.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "fitness/cross/chip.hpp"
#include "fitness/gpu/gpu_sheet.hpp"
#include "fitness/hip/amd_builder.hpp"
#include "fitness/host/cpu_sheet.hpp"
#include "tests/fitness/content/sample_tasks.hpp"
#include "tests/support/temporary_folder.hpp"

namespace ke {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Figures that the driver of an H100 SXM reports.
gpu::GpuFigures h100_figures() {
  gpu::GpuFigures f;
  f.warp = 32;
  f.threads_of_block = 1024;
  f.threads_of_sm = 2048;
  f.blocks_of_sm = 32;
  f.registers_of_sm = 65536;
  f.shared_of_sm = 233472;
  f.shared_of_block = 49152;
  f.shared_optin = 232448;
  f.shared_reserved = 1024;
  f.clock_khz = 1'980'000;
  f.memory_clock_khz = 2'619'000;
  f.bus_bits = 5120;
  f.capability = 90;
  return f;
}

gpu::GpuInfo h100() {
  gpu::GpuInfo gpu;
  gpu.arch = "sm_90a";
  gpu.terms.name = "NVIDIA H100 80GB HBM3";
  gpu.terms.sm_count = 132;
  gpu.terms.l2_bytes = 50 << 20;
  gpu.terms.memory_bytes = std::int64_t{80} << 30;
  return gpu;
}

// NVIDIA's data sheet: 3.35 TB/s, 67 TFLOP/s of float32, at 1830 MHz 989 of bfloat16.
TEST(GpuSheet, nominal_figures_are_those_of_the_data_sheet) {
  const Task task = sample::task(sample::softmax_text());
  const DeviceSheet sheet = gpu::gpu_sheet(task, h100(), h100_figures(), 2900, true);
  EXPECT_THAT(sheet.text, HasSubstr("GPU: NVIDIA H100 80GB HBM3, sm_90a, 132 multiprocessors"));
  EXPECT_THAT(sheet.text, HasSubstr("2900 GB/s measured (a copy of 1 GiB, bytes read plus "
                                    "written); 3352 GB/s nominal (a bus of 5120 bits)"));
  EXPECT_THAT(sheet.text, HasSubstr("float32 66.9 TFLOP/s"));
  EXPECT_THAT(sheet.text, HasSubstr("Registers: 65536 of 32 bits an SM; at most 255 a thread"));
  EXPECT_THAT(sheet.text, HasSubstr("Shared memory: 228 KiB an SM, at most 227 KiB a block (48 KiB "
                                    "of it static); 1 KiB a block reserved"));
  EXPECT_THAT(sheet.text, HasSubstr("Caches are flushed"));
  EXPECT_THAT(gpu::peak_rate_line(90, 132, 1'830'000), HasSubstr("bfloat16 989 TFLOP/s"));
  EXPECT_THAT(gpu::peak_rate_line(80, 108, 1'410'000),
              HasSubstr("float32 19.5 TFLOP/s; tensor cores: TF32 156, float16 and bfloat16 312 "
                        "TFLOP/s, int8 624 TOP/s"));
  // NVIDIA's data sheet: 989 TFLOP/s of float16; A100: 312, and 19.5 of float32.
  EXPECT_NEAR(gpu::arithmetic_rate(90, 132, 1'830'000, Dtype::float16).flops_per_ns, 989e3, 1e3);
  EXPECT_NEAR(gpu::arithmetic_rate(80, 108, 1'410'000, Dtype::float32).flops_per_ns, 104e3, 1e3);
  EXPECT_NEAR(gpu::arithmetic_rate(89, 128, 2'520'000, Dtype::float32).flops_per_ns, 82.6e3, 100);
  EXPECT_EQ(gpu::arithmetic_rate(90, 132, 1'830'000, Dtype::float64).flops_per_ns, 0);
  EXPECT_EQ(gpu::arithmetic_rate(75, 40, 1'590'000, Dtype::float32).flops_per_ns, 0);
  EXPECT_THAT(sheet.text, HasSubstr("Arithmetic of the floors: 357 TFLOP/s (three float16"));
  EXPECT_EQ(sheet.residency.registers, 65536);
  EXPECT_EQ(sheet.floors_ns.at("rows=64 cols=128"), 8 * 64 * 128 / 2900.0);
}

TEST(GpuSheet, leaves_out_what_the_driver_does_not_say) {
  const Task task = sample::task(sample::softmax_text());
  const DeviceSheet sheet = gpu::gpu_sheet(task, h100(), {}, 0, false);
  EXPECT_THAT(sheet.text, Not(HasSubstr("clock")));
  EXPECT_THAT(sheet.text, Not(HasSubstr("bandwidth")));
  EXPECT_THAT(sheet.text, Not(HasSubstr("Shared memory")));
  EXPECT_THAT(sheet.text, Not(HasSubstr("Peak")));
  EXPECT_THAT(sheet.text, Not(HasSubstr(" 0 ")));
  EXPECT_TRUE(sheet.floors_ns.empty());
  EXPECT_EQ(gpu::peak_rate_line(75, 40, 1'590'000), "") << "no table holds it";
  EXPECT_THAT(gpu::peak_rate_line(89, 128, 2'520'000), Not(HasSubstr("tensor")));
}

TEST(AmdSheet, tells_waves_registers_and_memories_of_each_target) {
  EXPECT_THAT(hip::sheet_of("gfx942"), HasSubstr("CDNA3): 304 compute units"));
  EXPECT_THAT(hip::sheet_of("gfx942"), HasSubstr("waves of 64 threads"));
  EXPECT_THAT(hip::sheet_of("gfx90a"), HasSubstr("LDS 64 KiB a block"));
}

void write_cache(const fs::path& folder, const std::string& level, const std::string& type,
                 const std::string& size, const std::string& shared) {
  fs::create_directories(folder);
  const auto put = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text << "\n";
  };
  put("level", level);
  put("type", type);
  put("size", size);
  put("shared_cpu_list", shared);
  put("coherency_line_size", "64");
}

TEST(CpuSheet, tells_the_caches_that_the_kernel_lists) {
  const test::TemporaryFolder folder;
  const fs::path root = folder.path();
  write_cache(root / "index0", "1", "Data", "48K", "0");
  write_cache(root / "index1", "1", "Instruction", "32K", "0");
  write_cache(root / "index2", "2", "Unified", "2048K", "0,1");
  write_cache(root / "index3", "3", "Unified", "107520K", "0-3,8");
  EXPECT_EQ(cache_line(root.string()),
            "Caches: L1 data 48 KiB, L2 2 MiB shared by 2 processors, L3 105 MiB shared by 5 "
            "processors; lines of 64 bytes");
  EXPECT_EQ(cache_line((root / "nothing").string()), "");
}

TEST(CpuSheet, holds_measured_rates_and_floors) {
  const Task task = sample::task(sample::softmax_text());
  const DeviceSheet sheet = cpu_sheet(task, 0, false);
  EXPECT_THAT(sheet.text, HasSubstr("Processor: "));
  EXPECT_THAT(sheet.text, HasSubstr(" GB/s within 16 KiB"));
  EXPECT_THAT(sheet.text, HasSubstr("in one thread"));
  EXPECT_GT(sheet.floors_ns.at("rows=64 cols=128"), 0);
  EXPECT_THAT(cpu_sheet(task, 0, true).text, HasSubstr("caches are emptied"));
}

TEST(ChipSheet, tells_costs_in_the_chips_own_unit) {
  cross::Chip chip;
  chip.name = "toy";
  chip.timing = "trace";
  chip.vector_bits = 256;
  chip.datapath_bits = 128;
  chip.refused = {"csr*"};
  chip.costs = {{"a", 2, cross::CostRule::Scale::grouped, 1, {"vle*", "vse*"}},
                {"b", 2, cross::CostRule::Scale::fixed, 4, {"vl4r*"}},
                {"c", 20, cross::CostRule::Scale::none, 1, {"div*"}}};
  const DeviceSheet sheet = cross::chip_sheet(chip);
  EXPECT_EQ(sheet.time_unit, "cost units");
  EXPECT_THAT(sheet.text, HasSubstr("Vector registers of 256 bits; the datapath takes 128 bits"));
  EXPECT_THAT(sheet.text, HasSubstr("  2 a pass over the grouped registers: vle* vse*\n"
                                    "  2 a pass over 4 registers: vl4r*\n"
                                    "  20: div*\n"));
  EXPECT_THAT(sheet.text, HasSubstr("Refused instructions: csr*"));
  chip.timing = "counter";
  EXPECT_THAT(cross::chip_sheet(chip).text, Not(HasSubstr("vle*")));
}

}  // namespace
}  // namespace ke
