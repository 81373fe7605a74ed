#pragma once
// Reports of trials, candidates and elites for the model.

#include <string>
#include <string_view>

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// The facts of the kernel `name` in the format of the prompts' sections, with its times beside the
/// scene's parent. Contains nothing about holdout shapes, since feedback has none.
std::string trial_report(std::string_view name, TrialKind kind, const TrialFacts& facts,
                         const PromptScene& scene);

/// A candidate with its code and all of the judge's results. `name`: its name in the conversation.
std::string candidate_report(std::string_view name, const CandidatePtr& candidate,
                             const Context& context);

/// One line per elite: cell, id, speedup, measures.
std::string elites_report(std::span<const Elite> elites);

}  // namespace ke
