#pragma once
// Formats numbers for prompts.

#include <cstdint>
#include <string>

#include "core/device_sheet.hpp"

namespace ke {

/// "12.30 us" for a time in ns, or "1234 cost units" in the device's own unit. `sheet` may be null.
std::string time_words(double time, const DeviceSheet* sheet);

/// "1.5 MiB", "12 KiB".
std::string size_words(std::int64_t bytes);

/// "2.6 MFLOP".
std::string work_words(std::int64_t flops);

/// The floor of a workload in ns; 0 = unknown.
double floor_of(const DeviceSheet* sheet, const std::string& workload);

}  // namespace ke
