#pragma once
// Rules that every implementation of History applies, with the same words.

#include "core/history.hpp"

namespace ke {

/// Whether a run that was begun with `stored` may go on with `given`.
Result<void> check_same_run(const RunHeader& stored, const RunHeader& given);

/// Whether `record` follows on `committed` steps.
Result<void> check_next_step(std::int64_t committed, const StepRecord& record);

}  // namespace ke
