#pragma once
// What the model is told of a trial.

#include <string>
#include <string_view>

#include "operators/llm/prompt_sections.hpp"

namespace ke {

/// The facts of a kernel that is called `name`, as the prompts' sections write them, times beside
/// those of the scene's parent. Holds nothing of holdout shapes: feedback has none.
std::string trial_report(std::string_view name, TrialKind kind, const TrialFacts& facts,
                         const PromptScene& scene);

/// A candidate with its code and all that the judge said of it. `name`: what the model calls it.
std::string candidate_report(std::string_view name, const CandidatePtr& candidate,
                             const Context& context);

/// One line an elite: cell, id, speedup, measures.
std::string elites_report(std::span<const Elite> elites);

}  // namespace ke
