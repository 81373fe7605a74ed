#pragma once
// Sections about what the judge said of the parents.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

std::string score_section(const PromptScene& scene);
std::string diagnostics_section(const PromptScene& scene);
std::string timing_section(const PromptScene& scene);
std::string profile_section(const PromptScene& scene);

}  // namespace ke
