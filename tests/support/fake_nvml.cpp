// A stand-in for libnvidia-ml.so.1 with one GPU, at 0000:01:00.0, that reports the figures set by
// the test. Signatures and values follow NVIDIA's NVML API reference.

#include <cstring>

namespace {

struct {
  unsigned sm_mhz = 1980, memory_mhz = 3201, celsius = 41, milliwatts = 310'500;
  unsigned long long reasons = 0;
} gpu;

constexpr int invalid_argument = 2, not_supported = 3, not_found = 6;

int answer(unsigned* into, unsigned value) {
  if (value == 0) return not_supported;
  *into = value;
  return 0;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return 0; }

const char* nvmlErrorString(int status) { return status == not_found ? "Not Found" : "Error"; }

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  std::strncpy(text, "580.159.04", length);
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  if (std::strcmp(bus_id, "0000:01:00.0") != 0) return not_found;
  *device = &gpu;
  return 0;
}

int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) {
  if (device != &gpu || (type != 1 && type != 2)) return invalid_argument;
  return answer(mhz, type == 1 ? gpu.sm_mhz : gpu.memory_mhz);
}

int nvmlDeviceGetMaxClockInfo(void*, int type, unsigned* mhz) {
  return answer(mhz, type == 1 ? 1980 : 3201);
}

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* celsius) {
  return sensor == 0 ? answer(celsius, gpu.celsius) : invalid_argument;
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) {
  return answer(milliwatts, gpu.milliwatts);
}

/// KE_REASONS: the function's name in drivers before or since 535.
int KE_REASONS(void*, unsigned long long* reasons) {
  *reasons = gpu.reasons;
  return 0;
}

/// Zero: the GPU does not support that query.
void fake_nvml_set(unsigned sm_mhz, unsigned memory_mhz, unsigned celsius, unsigned milliwatts,
                   unsigned long long reasons) {
  gpu = {sm_mhz, memory_mhz, celsius, milliwatts, reasons};
}

}  // extern "C"
