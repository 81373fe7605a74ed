#pragma once
// What prompts are told of a chip described in YAML: its vectors and what its instructions cost.

#include "core/device_sheet.hpp"
#include "fitness/cross/chip.hpp"

namespace ke::cross {

DeviceSheet chip_sheet(const Chip& chip);

}  // namespace ke::cross
