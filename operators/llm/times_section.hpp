#pragma once
// Sections about how fast the parents, the best other kernel and the anchor are.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// Speedups, at bench and, where they were measured, at validation.
std::string score_section(const PromptScene& scene);
/// Times of each timed workload beside its floor.
std::string timing_section(const PromptScene& scene);

}  // namespace ke
