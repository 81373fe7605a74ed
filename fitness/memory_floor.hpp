#pragma once
// Least times of a workload at a device's rates: of its memory traffic, and of its operations.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "fitness/task.hpp"

namespace ke {

/// Bytes per ns at which `bytes` can be read and written; 0 = unknown.
using MemoryRate = std::function<double(std::int64_t bytes)>;

/// The task's compulsory bytes divided by that rate; 0 = unknown.
double memory_floor_ns(const Task& task, const Workload& workload, const MemoryRate& rate);

/// The widest type among the task's floating-point inputs; `float32` without any.
Dtype widest_input(const Task& task);

/// Floors by label, for the bench and validation workloads whose floor is known: the longer of the
/// memory's time and the time of the task's `flops` at `flops_per_ns`, 0 = unknown. An algorithm
/// with fewer operations than the usual one may take less than the second.
std::map<std::string, double> floors_ns(const Task& task, const MemoryRate& rate,
                                        double flops_per_ns);

}  // namespace ke
