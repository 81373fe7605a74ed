#pragma once
// Failures of this run's kernels and their fixes, for prompts.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// At most 8 kinds of failure among the judged kernels of the island, most frequent first, each
/// with the first kernel that passed after one of them and its changes. Two failures have the same
/// kind when verdict, reason and first diagnostic are equal, ignoring numbers.
std::string failures_section(const PromptScene& scene);

}  // namespace ke
