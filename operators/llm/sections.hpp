#pragma once
// The texts of a prompt's sections, each in the .cpp of its name; prompt_sections.cpp lists them.

#include "operators/llm/prompt_sections.hpp"

namespace ke {

// history_sections.cpp: the island's judged candidates at the time of the ask.

/// The best judged kernel of the island that is not a parent; null if there is none.
const Candidate* best_other(const PromptScene& scene);
std::string ancestors_section(const PromptScene& scene);
std::string siblings_section(const PromptScene& scene);
std::string others_section(const PromptScene& scene);
std::string spread_section(const PromptScene& scene);

/// At most 8 kinds of failure among the judged kernels of the island, most frequent first, each
/// with the first kernel that passed after one of them and its changes. Two failures have the same
/// kind when verdict, reason and first diagnostic are equal, ignoring numbers.
std::string failures_section(const PromptScene& scene);

// report_sections.cpp: the parents' results from compiler, checker and profiler.

std::string diagnostics_section(const PromptScene& scene);
std::string profile_section(const PromptScene& scene);

// times_section.cpp: the parents, the best other kernel and the anchor.

/// Speedups at bench and, if measured, at validation.
std::string score_section(const PromptScene& scene);
/// Times of each timed workload with its floor.
std::string timing_section(const PromptScene& scene);

}  // namespace ke
