#pragma once
// Distils a run into lessons for later runs.

#include <vector>

#include "archive/run_reader.hpp"
#include "operators/llm/lessons.hpp"

namespace ke {

/// One lesson per candidate that is significantly faster than its best ok parent: the lower bound
/// of its 95 % interval is above 1. The interval comes from a duel of the two if they fought one,
/// else from the ratio of their screens, with errors treated as independent. In commit order.
Result<std::vector<Lesson>> distil(const RunReader& reader);

}  // namespace ke
