#pragma once
// Candidates named on the command line: resolves them, prints them, and gives the arguments of
// scripts that build their kernels outside of the judge.

#include <memory>
#include <string>
#include <vector>

#include "archive/run_reader.hpp"

namespace ke {

/// Flags of every build of the judge, without those for its own messages.
std::vector<std::string> judge_flags();

/// A candidate's outcome: "ok", "wrong_result: mismatch", "no child: search_not_found"; for a
/// duplicate also the original.
std::string outcome_text(const Candidate& candidate);

/// Outcome, verdict, objective, genome, measures, parents, diagnostics.
std::string candidate_text(const Candidate& candidate);

/// Source with its genome on top, one line per knob and flag; the input of `diff`.
std::string comparable_text(const Kernel& kernel);

/// Parses "12.0.0" (step, island, slot).
std::optional<LogicalId> parse_logical_id(std::string_view text);

/// Finds the candidate named "12.0.0" or "champion". Errors say what was expected.
Result<CandidateView> find_candidate(const RunReader& reader, const std::string& word);

/// Returns the seed with the candidate's source, else its oldest ancestor along first parents.
Result<CandidateView> seed_of(const RunReader& reader, const CandidateView& candidate);

}  // namespace ke
