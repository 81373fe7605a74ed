#include "fitness/gpu/gpu_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "fitness/memory_floor.hpp"

namespace ke::gpu {
namespace {

/// Dense operations per clock of one multiprocessor; a multiply-add counts two.
struct RatesOfSm {
  std::int64_t capability;
  int float32;  ///< without tensor cores
  int tf32, half, int8,
      float8;  ///< with tensor cores; 0 = none, or it differs between cards
};

// From NVIDIA's white papers on A100, GA102, Ada and H100: cores per SM, and the peak rates of the
// products divided by their SMs and boost clocks.
constexpr RatesOfSm rates_of_sm[] = {{80, 128, 1024, 2048, 4096, 0},
                                     {86, 256, 0, 0, 0, 0},
                                     {89, 256, 0, 0, 0, 0},
                                     {90, 256, 2048, 4096, 8192, 8192}};

const RatesOfSm* find_rates(std::int64_t capability) {
  const auto rates = std::ranges::find(rates_of_sm, capability, &RatesOfSm::capability);
  return rates == std::end(rates_of_sm) ? nullptr : rates;
}

std::string kib(std::int64_t bytes) {
  return bytes >= 1 << 20 ? fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20))
                          : fmt::format("{} KiB", bytes >> 10);
}

/// The text with its figure, or "" if the driver did not report it.
std::string if_known(std::string_view form, std::int64_t figure) {
  return figure == 0 ? "" : fmt::format(fmt::runtime(form), figure);
}

std::string residency_lines(const GpuFigures& f) {
  std::string text = if_known("Warps of {} threads; ", f.warp);
  text += if_known("at most {} threads a block", f.threads_of_block);
  text += if_known(", {} threads an SM", f.threads_of_sm);
  text += if_known(", {} blocks an SM", f.blocks_of_sm) + "\n";
  text +=
      if_known("Registers: {} of 32 bits an SM; ", f.registers_of_sm) + "at most 255 a thread\n";
  if (f.shared_of_sm == 0 || f.shared_optin == 0) return text;
  text += fmt::format("Shared memory: {} an SM, at most {} a block", kib(f.shared_of_sm),
                      kib(f.shared_optin));
  if (f.shared_of_block > 0) text += fmt::format(" ({} of it static)", kib(f.shared_of_block));
  if (f.shared_reserved > 0) text += fmt::format("; {} a block reserved", kib(f.shared_reserved));
  return text + "\n";
}

/// Two transfers per clock, as in DDR and HBM.
double nominal_bytes_per_ns(const GpuFigures& f) {
  return 2e-6 * static_cast<double>(f.memory_clock_khz) * static_cast<double>(f.bus_bits) / 8;
}

std::string bandwidth_line(const GpuFigures& f, double copy_rate) {
  const double nominal = nominal_bytes_per_ns(f);
  std::string text = "Memory bandwidth:";
  if (copy_rate > 0) {
    text +=
        fmt::format(" {:.0f} GB/s measured (a copy of 1 GiB, bytes read plus written)", copy_rate);
  }
  if (nominal > 0) {
    text += fmt::format("{} {:.0f} GB/s nominal (a bus of {} bits)", copy_rate > 0 ? ";" : "",
                        nominal, f.bus_bits);
  }
  return copy_rate > 0 || nominal > 0 ? text + "\n" : "";
}

std::string clock_line(const GpuFigures& f) {
  if (f.clock_khz == 0) return "";
  std::string text = fmt::format("Highest clocks: SM {} MHz", f.clock_khz / 1000);
  if (f.memory_clock_khz > 0) text += fmt::format(", memory {} MHz", f.memory_clock_khz / 1000);
  return text + "\n";
}

}  // namespace

GpuFigures gpu_figures(const Driver& driver, int index) {
  Device device = 0;
  GpuFigures figures;
  if (driver.device_get(&device, index) != success) return figures;
  const auto read = [&](int attribute) -> std::int64_t {
    int value = 0;
    return driver.device_attribute(&value, attribute, device) == success ? value : 0;
  };
  figures.warp = read(warp_threads);
  figures.threads_of_block = read(max_threads_per_block);
  figures.threads_of_sm = read(max_threads_per_multiprocessor);
  figures.blocks_of_sm = read(max_blocks_per_multiprocessor);
  figures.registers_of_sm = read(registers_per_multiprocessor);
  figures.shared_of_sm = read(shared_per_multiprocessor);
  figures.shared_of_block = read(shared_per_block);
  figures.shared_optin = read(max_shared_optin);
  figures.shared_reserved = read(reserved_shared_per_block);
  figures.clock_khz = read(clock_rate_khz);
  figures.memory_clock_khz = read(memory_clock_rate_khz);
  figures.bus_bits = read(memory_bus_bits);
  figures.capability = 10 * read(capability_major) + read(capability_minor);
  return figures;
}

ArithmeticRate arithmetic_rate(std::int64_t capability, std::int64_t sm_count,
                               std::int64_t clock_khz, Dtype dtype) {
  const RatesOfSm* const rates = find_rates(capability);
  if (rates == nullptr) return {};
  const double clocks_per_ns =
      static_cast<double>(sm_count) * static_cast<double>(clock_khz) * 1e-6;
  if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) {
    return {clocks_per_ns * rates->half, "on tensor cores"};
  }
  if (dtype != Dtype::float32) return {};
  const double split = rates->half / 3.0;
  if (split > rates->float32) {
    return {clocks_per_ns * split, "three float16 products on tensor cores for one of float32"};
  }
  return {clocks_per_ns * rates->float32, "float32 instructions"};
}

std::string peak_rate_line(std::int64_t capability, std::int64_t sm_count, std::int64_t clock_khz) {
  const RatesOfSm* const rates = find_rates(capability);
  if (rates == nullptr || sm_count == 0 || clock_khz == 0) return "";
  const auto tera = [&](int rate) {
    return static_cast<double>(sm_count) * static_cast<double>(clock_khz) * 1e-9 * rate;
  };
  std::string text = fmt::format(
      "Peak rates, nominal (dense, SMs x highest clock x operations of one SM): float32 {:.1f} "
      "TFLOP/s",
      tera(rates->float32));
  if (rates->tf32 > 0) {
    text += fmt::format(
        "; tensor cores: TF32 {:.0f}, float16 and bfloat16 {:.0f} TFLOP/s, int8 "
        "{:.0f} TOP/s",
        tera(rates->tf32), tera(rates->half), tera(rates->int8));
  }
  if (rates->float8 > 0) text += fmt::format(", float8 {:.0f} TFLOP/s", tera(rates->float8));
  return text + "\n";
}

DeviceSheet gpu_sheet(const Task& task, const GpuInfo& gpu, const GpuFigures& f, double copy_rate,
                      bool cold) {
  DeviceSheet sheet;
  const bool nvidia = gpu.arch.starts_with("sm_");
  sheet.text = fmt::format("GPU: {}, {}, {} {}\n", gpu.terms.name, gpu.arch, gpu.terms.sm_count,
                           nvidia ? "multiprocessors (SM)" : "compute units");
  if (nvidia) sheet.text += residency_lines(f);
  sheet.text += fmt::format("L2 cache: {}; device memory: {:.1f} GiB\n", kib(gpu.terms.l2_bytes),
                            static_cast<double>(gpu.terms.memory_bytes) / (1 << 30));
  sheet.text += clock_line(f) + bandwidth_line(f, copy_rate);
  if (nvidia) sheet.text += peak_rate_line(f.capability, gpu.terms.sm_count, f.clock_khz);
  if (gpu.terms.clusters) {
    sheet.text += "Thread block clusters, tensor maps and programmatic dependent launch work\n";
  }
  sheet.text += cold ? "Caches are flushed in front of each timed call\n"
                     : "Caches keep what the call before left in them\n";
  const ArithmeticRate arithmetic =
      nvidia ? arithmetic_rate(f.capability, gpu.terms.sm_count, f.clock_khz, widest_input(task))
             : ArithmeticRate{};
  sheet.floors_ns = floors_ns(
      task, [&](std::int64_t) { return copy_rate; }, arithmetic.flops_per_ns);
  if (arithmetic.flops_per_ns > 0 && !sheet.floors_ns.empty()) {
    sheet.text += fmt::format("Arithmetic of the floors: {:.0f} TFLOP/s ({})\n",
                              arithmetic.flops_per_ns / 1e3, arithmetic.words);
  }
  if (nvidia) sheet.residency = {f.registers_of_sm, f.threads_of_sm, f.shared_of_sm, f.warp};
  return sheet;
}

}  // namespace ke::gpu
