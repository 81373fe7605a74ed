#pragma once
// Sections about the island's judged candidates at the time of the ask.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// The best judged kernel of the island that is not a parent; null if there is none.
const Candidate* best_other(const PromptScene& scene);

std::string ancestors_section(const PromptScene& scene);
std::string siblings_section(const PromptScene& scene);
std::string others_section(const PromptScene& scene);
std::string spread_section(const PromptScene& scene);

}  // namespace ke
