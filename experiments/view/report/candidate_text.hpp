#pragma once
// Prints one candidate.

#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// "ok", "wrong_result: mismatch", "no child: search_not_found", with the original if it is a
/// duplicate.
std::string outcome_text(const Candidate& candidate);

/// Outcome, verdict, objective, genome, measures, parents, diagnostics.
std::string candidate_text(const Candidate& candidate);

/// Source with its genome on top, one line per knob and flag; the input of `diff`.
std::string comparable_text(const Kernel& kernel);

}  // namespace ke
