#include "fitness/cuda/gpu_contents.hpp"

namespace ke::cuda {
namespace {

constexpr std::int64_t small_elements = 1 << 18;
constexpr std::int64_t large_elements = 48 << 20;

}  // namespace

std::int64_t GpuContents::elements(const Shapes& shapes) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : shapes.tensors) sum += tensor.elements;
  return sum;
}

bool GpuContents::small(const Shapes& shapes) { return elements(shapes) <= small_elements; }

Result<ContentPool*> GpuContents::pool(const Workload& workload, bool plain) {
  auto& slot = pools_[workload.label + (plain ? " plain" : " mixed")];
  if (slot) return slot.get();
  KE_TRY(const Shapes shapes, resolve_shapes(task_, workload));
  const std::int64_t count = elements(shapes);
  PoolOptions options{.entries = 3, .cases = {}};
  if (plain) options = {.entries = 2, .cases = {0}, .twins = 1};
  if (plain && count > small_elements) options.twins = 0;
  if (count > large_elements) options.entries = 1;
  KE_TRY(auto made, ContentPool::create(task_, workload, reference_, random_, options));
  slot = std::make_unique<ContentPool>(std::move(made));
  return slot.get();
}

}  // namespace ke::cuda
