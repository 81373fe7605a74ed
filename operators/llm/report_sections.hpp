#pragma once
// Sections about the parents' results from compiler, checker and profiler.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

std::string diagnostics_section(const PromptScene& scene);
std::string profile_section(const PromptScene& scene);

}  // namespace ke
