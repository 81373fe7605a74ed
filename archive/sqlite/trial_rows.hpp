#pragma once
// Evaluations that operators spent on trial kernels.

#include <cstdint>
#include <map>

#include "archive/sqlite/sql.hpp"

namespace ke::sqlite {

/// By step: the number of binaries, other than the candidates' own, judged in a screen. Candidates'
/// evaluations do not include them; the budget counts both. Empty if no model had tools.
std::map<std::int64_t, std::int64_t> read_timed_trials(Sql& sql);

}  // namespace ke::sqlite
