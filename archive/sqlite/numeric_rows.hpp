#pragma once
// Batches and elites of numeric searches as rows, and back.

#include <optional>

#include "archive/sqlite/sql.hpp"
#include "core/history.hpp"
#include "core/numeric/numeric_archive.hpp"

namespace ke::sqlite {

void put_numeric_batch(Sql& sql, std::int64_t step_idx, const NumericBatch& batch);
std::optional<NumericBatch> read_numeric_batch(Sql& sql, std::int64_t step_idx);
/// Sums `solutions`; all else as of the last batch.
std::optional<NumericBatch> sum_numeric_batches(Sql& sql);

/// Replaces what was there.
void put_numeric_elites(Sql& sql, const NumericArchive& archive);
/// NumericArchive::digest() of the stored elites.
Digest numeric_elites_digest(Sql& sql);

}  // namespace ke::sqlite
