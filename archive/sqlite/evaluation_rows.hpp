#pragma once
// Stores and loads evaluations.

#include "archive/sqlite/sql.hpp"
#include "core/evaluation.hpp"

namespace ke::sqlite {

void put_evaluation(Sql& sql, std::int64_t candidate, const Evaluation& evaluation);
/// Refuses a candidate without an evaluation.
Evaluation read_evaluation(Sql& sql, std::int64_t candidate);

}  // namespace ke::sqlite
