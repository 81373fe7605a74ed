#include "fitness/gpu/gpu_device.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

namespace ke::gpu {
namespace {

constexpr std::int64_t flushed_caches = 3;

}  // namespace

Result<GpuInfo> describe_gpu(const Driver& driver, int index) {
  Device device = 0;
  KE_CUDA(driver, device_get(&device, index));
  GpuInfo info;
  info.index = index;
  char name[128] = {};
  KE_CUDA(driver, device_name(name, sizeof name - 1, device));
  info.terms.name = name;
  char bus_id[32] = {};
  KE_CUDA(driver, device_bus_id(bus_id, sizeof bus_id - 1, device));
  info.bus_id = bus_id;
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
  if (driver.arch) info.arch = driver.arch(device);
  if (info.arch.empty()) {
    const std::int64_t major = read(capability_major);
    info.arch = fmt::format("sm_{}{}{}", major, read(capability_minor), major >= 9 ? "a" : "");
  }
  if (info.terms.name.empty()) info.terms.name = info.arch;
  info.flush_bytes = flushed_caches * info.terms.l2_bytes;
  int version = 0;
  KE_CUDA(driver, driver_version(&version));
  info.driver_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  info.exports = read(exports_descriptors) != 0;
  info.sees_host = read(pageable_memory_access) != 0;
  return info;
}

Result<std::vector<GpuInfo>> describe_gpus(const Driver& driver, std::vector<int> indices) {
  int count = 0;
  KE_CUDA(driver, device_count(&count));
  if (indices.empty()) {
    indices.resize(static_cast<std::size_t>(count));
    std::iota(indices.begin(), indices.end(), 0);
  }
  std::vector<GpuInfo> gpus;
  for (const int index : indices) {
    if (index >= count) {
      return Error{ke::Failure::device,
                   fmt::format("device.gpus names GPU {}, the driver sees those of [0, {}]", index,
                               count - 1)};
    }
    KE_TRY(GpuInfo gpu, describe_gpu(driver, index));
    gpus.push_back(std::move(gpu));
  }
  return gpus;
}

Result<void> require_one_model(std::span<const GpuInfo> gpus) {
  const auto model = [](const GpuInfo& gpu) {
    return fmt::format("{}, {}, {} multiprocessors, {} bytes of L2", gpu.terms.name, gpu.arch,
                       gpu.terms.sm_count, gpu.terms.l2_bytes);
  };
  for (const GpuInfo& gpu : gpus) {
    if (model(gpu) == model(gpus.front())) continue;
    return Error{ke::Failure::device,
                 fmt::format("GPUs of one run are of one model, but GPU {} is {} and GPU {} is {}; "
                             "name others in device.gpus",
                             gpus.front().index, model(gpus.front()), gpu.index, model(gpu))};
  }
  return {};
}

Result<void> enter_gpu(const Driver& driver, int index) {
  Device device = 0;
  KE_CUDA(driver, device_get(&device, index));
  Context context = nullptr;
  KE_CUDA(driver, context_retain(&context, device));
  KE_CUDA(driver, context_set(context));
  return {};
}

}  // namespace ke::gpu
