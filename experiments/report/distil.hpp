#pragma once
// From a run to the lessons that later runs may be told.

#include <vector>

#include "archive/run_reader.hpp"
#include "operators/llm/lessons.hpp"

namespace ke {

/// One lesson for each candidate that is faster than its best ok parent beyond doubt: the lower
/// bound of its 95 % interval is above 1. The interval is that of a duel of the two where they
/// fought one; else that of the ratio of their screens, whose errors count as independent. In
/// commit order.
Result<std::vector<Lesson>> distil(const RunReader& reader);

}  // namespace ke
