#include "fitness/cuda/gpu_device.hpp"

#include <fmt/format.h>

namespace ke::cuda {

Result<GpuInfo> describe_gpu(const Driver& driver, int index) {
  Device device = 0;
  KE_CUDA(driver, device_get(&device, index));
  GpuInfo info;
  char name[128] = {};
  KE_CUDA(driver, device_name(name, sizeof name - 1, device));
  info.terms.name = name;
  const auto read = [&](int attribute) {
    int value = 0;
    driver.device_attribute(&value, attribute, device);
    return std::int64_t{value};
  };
  info.terms.sm_count = read(multiprocessors);
  info.terms.l2_bytes = read(l2_cache_bytes);
  info.terms.smem_optin = read(max_shared_optin);
  info.terms.max_threads = read(max_threads_per_block);
  for (int i = 0; i < 3; ++i) {
    info.terms.max_block[static_cast<std::size_t>(i)] = read(max_block_x + i);
    info.terms.max_grid[static_cast<std::size_t>(i)] = read(max_grid_x + i);
  }
  info.terms.clusters = read(cluster_launch) != 0;
  std::size_t bytes = 0;
  KE_CUDA(driver, device_memory(&bytes, device));
  info.terms.memory_bytes = static_cast<std::int64_t>(bytes);
  const std::int64_t major = read(capability_major);
  info.arch = fmt::format("sm_{}{}{}", major, read(capability_minor), major >= 9 ? "a" : "");
  int version = 0;
  KE_CUDA(driver, driver_version(&version));
  info.driver_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  info.exports = read(exports_descriptors) != 0;
  info.sees_host = read(pageable_memory_access) != 0;
  return info;
}

Result<void> enter_gpu(const Driver& driver, int index) {
  Device device = 0;
  KE_CUDA(driver, device_get(&device, index));
  Context context = nullptr;
  KE_CUDA(driver, context_retain(&context, device));
  KE_CUDA(driver, context_set(context));
  return {};
}

}  // namespace ke::cuda
