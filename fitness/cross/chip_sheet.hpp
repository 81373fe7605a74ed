#pragma once
// Describes a chip from YAML for prompts: its vectors and the costs of its instructions.

#include "core/device_sheet.hpp"
#include "fitness/cross/chip.hpp"

namespace ke::cross {

DeviceSheet chip_sheet(const Chip& chip);

}  // namespace ke::cross
