#include "fitness/memory_floor.hpp"

namespace ke {

double memory_floor_ns(const Task& task, const Workload& workload, const MemoryRate& rate) {
  const auto bytes = task.value(task.bytes, workload);
  if (!bytes || *bytes <= 0) return 0;
  const double bytes_per_ns = rate(*bytes);
  return bytes_per_ns > 0 ? static_cast<double>(*bytes) / bytes_per_ns : 0;
}

std::map<std::string, double> memory_floors_ns(const Task& task, const MemoryRate& rate) {
  std::map<std::string, double> floors;
  for (const Workload& workload : task.workloads) {
    if (workload.role != Role::bench && workload.role != Role::validation) continue;
    const double ns = memory_floor_ns(task, workload, rate);
    if (ns > 0) floors[workload.label] = ns;
  }
  return floors;
}

}  // namespace ke
