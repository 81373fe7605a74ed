#pragma once
// Requirements on a kernel's arguments and accuracy, and the shapes at which it is timed.

#include <string>
#include <string_view>

#include "core/device_sheet.hpp"
#include "core/task_contract.hpp"
#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// The section in the contract's language. `sheet` gives floors; null = unknown.
std::string contract_text(const TaskContract& contract, const DeviceSheet* sheet);

/// The section that shows what a task computes: its description and reference.
std::string task_section(std::string_view task_text);

std::string contract_section(const PromptScene& scene);
std::string device_section(const PromptScene& scene);

}  // namespace ke
