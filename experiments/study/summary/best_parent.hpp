#pragma once
// Finds the best parent of a child, the base of its gain.

#include "archive/run_reader.hpp"

namespace ke {

/// True for a kernel that passed every check and has a positive objective with an interval.
bool is_ok_kernel(const Candidate& candidate);

/// The ok parent with the highest objective; null if none is ok. Ignores inspirations and the
/// kernel that an operator repairs. A kernel from another device has none, because objectives of
/// two devices are not comparable.
Result<CandidatePtr> best_parent(const RunReader& reader, const Candidate& child);

}  // namespace ke
