#pragma once
// Resolves candidates named on the command line.

#include <memory>
#include <string>

#include "archive/run_reader.hpp"

namespace ke {

/// Parses "12.0.0" (step, island, slot).
std::optional<LogicalId> parse_logical_id(std::string_view text);

/// Finds the candidate named "12.0.0" or "champion". Errors say what was expected.
Result<CandidateView> find_candidate(const RunReader& reader, const std::string& word);

/// Returns the seed with the candidate's source, else its oldest ancestor along first parents.
Result<CandidateView> seed_of(const RunReader& reader, const CandidateView& candidate);

}  // namespace ke
