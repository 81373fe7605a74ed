#include "fitness/gpu/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "fitness/process/symbols.hpp"

namespace ke::gpu {
namespace {

/// nvmlClockType_t.
constexpr int sm_clock = 1, memory_clock = 2;
/// NVML_TEMPERATURE_GPU.
constexpr int gpu_sensor = 0;

template <typename F, typename... Arguments>
std::optional<std::int64_t> asked(F query, Arguments... arguments) {
  unsigned value = 0;
  if (query(arguments..., &value) != 0) return std::nullopt;
  return value;
}

}  // namespace

Result<Nvml> open_nvml(const std::string& library) {
  constexpr std::string_view lost = "clocks and throttling are not seen";
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return Error{
        Failure::device,
        fmt::format("{} cannot be opened, it comes with the NVIDIA driver: {}", library, lost)};
  }
  Nvml nvml{};
  Symbols symbols(handle);
  symbols.take(nvml.init, "nvmlInit_v2");
  symbols.take(nvml.driver_version, "nvmlSystemGetDriverVersion");
  symbols.take(nvml.device_of_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  symbols.take(nvml.clock, "nvmlDeviceGetClockInfo");
  symbols.take(nvml.most_clock, "nvmlDeviceGetMaxClockInfo");
  symbols.take(nvml.temperature, "nvmlDeviceGetTemperature");
  symbols.take(nvml.power, "nvmlDeviceGetPowerUsage");
  symbols.take(nvml.error_text, "nvmlErrorString");
  // Drivers before 535 lack the newer name of the function.
  Symbols newer(handle);
  newer.take(nvml.reasons, "nvmlDeviceGetCurrentClocksEventReasons");
  if (nvml.reasons == nullptr) {
    symbols.take(nvml.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  }
  if (!symbols.missing().empty()) {
    return Error{Failure::device, fmt::format("{} lacks {}: {}", library, symbols.missing(), lost)};
  }
  if (const int status = nvml.init()) {
    return Error{Failure::device, fmt::format("{} cannot be initialised, {}: {}", library,
                                              nvml.error_text(status), lost)};
  }
  return nvml;
}

Result<const Nvml*> load_nvml() {
  static const Result<Nvml> nvml = open_nvml("libnvidia-ml.so.1");
  if (!nvml) return nvml.error();
  return &*nvml;
}

Result<ManagedGpu> ManagedGpu::find(const Nvml& nvml, const std::string& bus_id) {
  ManagedDevice device = nullptr;
  if (const int status = nvml.device_of_bus_id(bus_id.c_str(), &device)) {
    return Error{Failure::device, fmt::format("NVML does not know the GPU at {}: {}", bus_id,
                                              nvml.error_text(status))};
  }
  return ManagedGpu(nvml, device);
}

ManagedGpu::ManagedGpu(const Nvml& nvml, ManagedDevice device)
    : nvml_(&nvml),
      device_(device),
      most_sm_mhz_(asked(nvml.most_clock, device, sm_clock)),
      most_memory_mhz_(asked(nvml.most_clock, device, memory_clock)) {}

GpuState ManagedGpu::state() const {
  GpuState state;
  state.sm_mhz = asked(nvml_->clock, device_, sm_clock);
  state.memory_mhz = asked(nvml_->clock, device_, memory_clock);
  state.celsius = asked(nvml_->temperature, device_, gpu_sensor);
  state.milliwatts = asked(nvml_->power, device_);
  unsigned long long reasons = 0;
  if (nvml_->reasons(device_, &reasons) == 0) state.reasons = reasons;
  return state;
}

}  // namespace ke::gpu
