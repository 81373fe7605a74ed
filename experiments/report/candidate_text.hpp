#pragma once
// One candidate for people.

#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// "ok", "wrong_result: mismatch", "no child: search_not_found", with what it is a copy of.
std::string outcome_text(const Candidate& candidate);

/// Outcome, verdict, objective, genome, measures, parents, diagnostics.
std::string candidate_text(const Candidate& candidate);

/// Source with its genome on top, one line a knob and flag: what `diff` compares.
std::string comparable_text(const Kernel& kernel);

}  // namespace ke
