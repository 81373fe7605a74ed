#pragma once
// Sections about what the island has tried, as far as it had been judged when the step was asked.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// The best judged kernel of the island that is no parent; null where there is none.
const Candidate* best_other(const PromptScene& scene);

std::string ancestors_section(const PromptScene& scene);
std::string siblings_section(const PromptScene& scene);
std::string others_section(const PromptScene& scene);
std::string spread_section(const PromptScene& scene);

}  // namespace ke
