#pragma once
// Formats numbers for prompts.

#include <cstdint>
#include <string>

#include "core/device_sheet.hpp"
#include "core/task_contract.hpp"

namespace ke {

/// A time for models: "12.30 us" for a time in ns, "1234 cost units" in the device's own unit.
/// `sheet` may be null.
std::string time_words(double time, const DeviceSheet* sheet);

/// A number of bytes for models: "1.5 MiB", "12 KiB".
std::string size_words(std::int64_t bytes);

/// A number of operations for models: "2.6 MFLOP".
std::string work_words(std::int64_t flops);

/// The floor of a workload in ns; 0 = unknown.
double floor_of(const DeviceSheet* sheet, const std::string& workload);

/// The opponent of all scores: "the anchor", or the baseline that stands in for it in a task
/// without kernels, "pytorch eager". `contract` may be null.
std::string opponent_words(const TaskContract* contract);

}  // namespace ke
