#pragma once
// Describes a GPU and its speed, for prompts.

#include <cstdint>
#include <string>

#include "core/device_sheet.hpp"
#include "fitness/gpu/gpu_device.hpp"
#include "fitness/task.hpp"

namespace ke::gpu {

/// Properties from the driver that plans do not need; 0 = unknown.
struct GpuFigures {
  std::int64_t warp = 0, threads_of_block = 0, threads_of_sm = 0, blocks_of_sm = 0;
  std::int64_t registers_of_sm = 0;
  std::int64_t shared_of_sm = 0, shared_of_block = 0, shared_optin = 0, shared_reserved = 0;
  std::int64_t clock_khz = 0, memory_clock_khz = 0, bus_bits = 0;
  std::int64_t capability = 0;  ///< 90 for 9.0
};

GpuFigures gpu_figures(const Driver& driver, int index);

/// Line of the sheet "Peak rates, nominal, ..."; "" for a compute capability that is not in the
/// table.
std::string peak_rate_line(std::int64_t capability, std::int64_t sm_count, std::int64_t clock_khz);

/// The rate at which a GPU can compute products and sums of a type to that type's accuracy.
struct ArithmeticRate {
  double flops_per_ns = 0;  ///< 0 = unknown
  std::string words;        ///< how, for prompts
};

/// Nominal, of the table of peak_rate_line. For float32 the faster of its own instructions and
/// three float16 products on tensor cores, of which kernels can make one that is as exact.
ArithmeticRate arithmetic_rate(std::int64_t capability, std::int64_t sm_count,
                               std::int64_t clock_khz, Dtype dtype);

/// `copy_rate`: measured bytes read plus written per ns by a long copy; 0 = not measured. `cold`:
/// whether caches are flushed before each timed call.
DeviceSheet gpu_sheet(const Task& task, const GpuInfo& gpu, const GpuFigures& figures,
                      double copy_rate, bool cold);

}  // namespace ke::gpu
