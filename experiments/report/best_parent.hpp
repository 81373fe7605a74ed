#pragma once
// What a child is measured by: the best of its parents.

#include "archive/run_reader.hpp"

namespace ke {

/// A kernel that passed every check and has a positive objective with an interval.
bool is_ok_kernel(const Candidate& candidate);

/// The ok parent with the highest objective; null when none is ok. Inspirations and what an
/// operator repairs do not count, and a kernel from another device has none: objectives of two
/// devices do not compare.
Result<CandidatePtr> best_parent(const RunReader& reader, const Candidate& child);

}  // namespace ke
