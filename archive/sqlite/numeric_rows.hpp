#pragma once
// Stores and loads batches and elites of numeric searches.

#include <optional>

#include "archive/sqlite/sql.hpp"
#include "core/history.hpp"
#include "core/numeric/numeric_archive.hpp"

namespace ke::sqlite {

void put_numeric_batch(Sql& sql, std::int64_t step_idx, const NumericBatch& batch);
std::optional<NumericBatch> read_numeric_batch(Sql& sql, std::int64_t step_idx);
/// Sum of `solutions`; the other fields as of the last batch.
std::optional<NumericBatch> sum_numeric_batches(Sql& sql);

/// Replaces stored elites.
void put_numeric_elites(Sql& sql, const NumericArchive& archive);
/// NumericArchive::digest(), computed from the stored elites.
Digest numeric_elites_digest(Sql& sql);

}  // namespace ke::sqlite
