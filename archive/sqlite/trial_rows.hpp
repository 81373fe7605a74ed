#pragma once
// Evaluations that operators spent on kernels that they tried out before they gave one.

#include <cstdint>
#include <map>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// By step: binaries other than the candidate's own that were judged in a screen for it. They are
/// not among the evaluations of candidates, and the budget counts both. Empty where no model was
/// offered tools.
std::map<std::int64_t, std::int64_t> read_timed_trials(Sql& sql);

}  // namespace ke::sqlite
