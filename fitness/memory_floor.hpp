#pragma once
// Lower bound on a workload's time: its memory traffic at the memory's full rate.

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

/// Floors by label, for the bench and validation workloads whose floor is known.
std::map<std::string, double> memory_floors_ns(const Task& task, const MemoryRate& rate);

}  // namespace ke
