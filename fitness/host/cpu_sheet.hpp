#pragma once
// Describes this CPU and the speed of one core, for prompts.

#include <string>

#include "core/device_sheet.hpp"
#include "fitness/task.hpp"

namespace ke {

/// Model, extensions, caches, and bandwidth and peak rate measured on `core`, which takes 0.3 s in
/// a new thread. `cold`: whether tensors are only in memory when a timed call begins.
DeviceSheet cpu_sheet(const Task& task, int core, bool cold);

/// "Caches: L1 data 48 KiB, L2 2 MiB, L3 105 MiB shared by 2 processors; lines of 64 bytes", from
/// the folders index0, index1, .. of a processor's folder `cache`; "" without them.
std::string cache_line(const std::string& folder);

}  // namespace ke
