#pragma once
// Sections about the speed of the parents, the best other kernel and the anchor.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// Speedups at bench and, if measured, at validation.
std::string score_section(const PromptScene& scene);
/// Times of each timed workload with its floor.
std::string timing_section(const PromptScene& scene);

}  // namespace ke
