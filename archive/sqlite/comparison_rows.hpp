#pragma once
// The measured part of a fact: comparison, workloads, clusters of samples.

#include <optional>

#include "archive/sqlite/sql.hpp"
#include "core/evaluation.hpp"

namespace ke::sqlite {

void put_comparison(Sql& sql, std::int64_t attempt, const Comparison& comparison);
std::optional<Comparison> read_comparison(Sql& sql, std::int64_t attempt);

}  // namespace ke::sqlite
