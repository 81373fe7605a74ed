#include "fitness/memory_floor.hpp"

#include <algorithm>

namespace ke {

double memory_floor_ns(const Task& task, const Workload& workload, const MemoryRate& rate) {
  const auto bytes = task.value(task.bytes, workload);
  if (!bytes || *bytes <= 0) return 0;
  const double bytes_per_ns = rate(*bytes);
  return bytes_per_ns > 0 ? static_cast<double>(*bytes) / bytes_per_ns : 0;
}

Dtype widest_input(const Task& task) {
  Dtype widest = Dtype::float32;
  std::size_t bytes = 0;
  for (const TensorSpec& tensor : task.tensors) {
    if (tensor.output || !is_float(tensor.dtype) || bytes_of(tensor.dtype) <= bytes) continue;
    widest = tensor.dtype;
    bytes = bytes_of(widest);
  }
  return widest;
}

std::map<std::string, double> floors_ns(const Task& task, const MemoryRate& rate,
                                        double flops_per_ns) {
  std::map<std::string, double> floors;
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::bench && workload.role != Role::validation) continue;
    double ns = memory_floor_ns(task, workload, rate);
    const auto flops = task.value(task.flops, workload);
    if (flops && flops_per_ns > 0) ns = std::max(ns, static_cast<double>(*flops) / flops_per_ns);
    if (ns > 0) floors[workload.label] = ns;
  }
  return floors;
}

}  // namespace ke
