#pragma once
// Sections about what compiler, checker and profiler said of the parents.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

std::string diagnostics_section(const PromptScene& scene);
std::string profile_section(const PromptScene& scene);

}  // namespace ke
