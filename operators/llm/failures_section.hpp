#pragma once
// Rules learned from failures: what kernels of this run failed with, and what cured them.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// At most 8 kinds of failure among the judged kernels of the island, the most frequent first, each
/// with the first kernel that passed after one of them, and what that changed. Failures are of one
/// kind when verdict, reason and first diagnostic are equal, numbers aside.
std::string failures_section(const PromptScene& scene);

}  // namespace ke
