#include "fitness/gpu/gpu_lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fitness/host/python_baseline.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t spare_bytes = std::int64_t{256} << 20;

/// Memory for the largest workload, its gaps and four times as much scratch, up to an eighth of the
/// device's memory.
Result<std::int64_t> shared_bytes(const Task& task, std::int64_t device_bytes) {
  std::int64_t most = 0;
  for (const Workload& workload : task.workloads) {
    KE_TRY(const Shapes shapes, resolve_shapes(task, workload));
    std::int64_t sum = 0;
    for (const TensorShape& tensor : shapes.tensors) {
      sum += tensor.bytes + (1 << 17);
      if (tensor.elements >= std::int64_t{1} << 32) {
        return Error{ke::Failure::config,
                     fmt::format("a tensor has 2^32 elements or more at {}", workload.label)};
      }
    }
    most = std::max(most, sum);
  }
  return most + std::min(4 * most, device_bytes / 8) + spare_bytes;
}

Result<ManagedGpu> managed(const Driver& driver, const GpuInfo& gpu) {
  if (!driver.library.empty()) {
    return Error{ke::Failure::device, "clocks and throttling are not seen through HIP"};
  }
  KE_TRY(const Nvml* nvml, load_nvml());
  return ManagedGpu::find(*nvml, gpu.bus_id);
}

}  // namespace

Result<std::unique_ptr<GpuLane>> GpuLane::open(const LaneParts& parts, const GpuInfo& gpu) {
  KE_TRY_VOID(enter_gpu(parts.driver, gpu.index));
  KE_TRY(auto secret, SecretRandom::from_system());
  auto random = std::make_unique<SecretRandom>(std::move(secret));
  KE_TRY(const std::int64_t bytes, shared_bytes(parts.task, gpu.terms.memory_bytes));
  KE_TRY(auto memory, GpuMemory::create(parts.driver, gpu, bytes, parts.judge_cubin, *random));
  std::unique_ptr<GpuLane> lane(new GpuLane(parts, gpu, std::move(random), std::move(memory)));
  KE_TRY_VOID(lane->start_python(parts));
  return lane;
}

GpuLane::GpuLane(const LaneParts& parts, const GpuInfo& gpu, std::unique_ptr<SecretRandom> random,
                 std::unique_ptr<GpuMemory> memory)
    : random_(std::move(random)),
      memory_(std::move(memory)),
      oracle_(parts.task, parts.python, gpu.index, *memory_),
      contents_(parts.task, parts.reference, *random_, {&oracle_, memory_->content_bytes()}),
      watch_(gpu.index, managed(parts.driver, gpu)),
      challenger_(parts.tools_dir, gpu.index, parts.driver.library, *memory_, parts.judge_cubin),
      opponent_(parts.tools_dir, gpu.index, parts.driver.library, *memory_, parts.judge_cubin),
      baselines_(parts.task, parts.python, "serve_gpu_baseline.py", gpu.index, *memory_),
      bench_(parts.task, gpu, *memory_, contents_, watch_, {&challenger_, &opponent_}, baselines_),
      judge_(bench_, parts.rules, parts.closing) {
  contents_.draw_ahead(parts.content_threads);
}

Result<void> GpuLane::start_python(const LaneParts& parts) {
  if (!parts.python || anchor_stand_in(parts.task).empty()) return {};
  KE_TRY_VOID(baselines_.start());
  for (const Workload& workload : parts.task.workloads) {
    KE_TRY(const Shapes shapes, resolve_shapes(parts.task, workload));
    if (contents_.on_device(shapes)) return oracle_.start();
  }
  return {};
}

}  // namespace ke::gpu
