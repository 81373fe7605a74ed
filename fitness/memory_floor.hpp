#pragma once
// The time that a workload takes at least, by what memory alone needs.

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "fitness/task.hpp"

namespace ke {

/// Bytes per ns at which `bytes` can be read and written; 0 = unknown.
using MemoryRate = std::function<double(std::int64_t bytes)>;

/// The task's compulsory bytes over that rate; 0 = unknown.
double memory_floor_ns(const Task& task, const Workload& workload, const MemoryRate& rate);

/// By label, of bench and validation workloads whose floor is known.
std::map<std::string, double> memory_floors_ns(const Task& task, const MemoryRate& rate);

}  // namespace ke
