#pragma once
// Rows of a run beside its steps: texts that decide nothing (what the task says of itself, options
// outside the run's identity), axes of archives, batches and elites of numeric searches.

#include <map>
#include <optional>
#include <string>

#include "archive/axis.hpp"
#include "archive/sqlite/sql.hpp"
#include "core/history.hpp"
#include "core/numeric/numeric_archive.hpp"

namespace ke::sqlite {

/// Replaces stored axes.
void put_axes(Sql& sql, const std::string& archive, const std::vector<AxisShape>& axes);
std::vector<AxisShape> read_axes(Sql& sql, const std::string& archive);

void put_numeric_batch(Sql& sql, std::int64_t step_idx, const NumericBatch& batch);
std::optional<NumericBatch> read_numeric_batch(Sql& sql, std::int64_t step_idx);
/// Sum of `solutions`; the other fields as of the last batch.
std::optional<NumericBatch> sum_numeric_batches(Sql& sql);

/// Replaces stored elites.
void put_numeric_elites(Sql& sql, const NumericArchive& archive);
/// NumericArchive::digest(), computed from the stored elites.
Digest numeric_elites_digest(Sql& sql);

/// Replaces all labels of the task; leaves empty values out.
void put_task_labels(Sql& sql, const std::map<std::string, std::string>& labels);

/// The task's labels; empty for a file of a version that did not record them.
std::map<std::string, std::string> read_task_labels(Sql& sql);

/// Replaces all options outside the run's identity, by path; leaves empty values out.
void put_kept_options(Sql& sql, const std::map<std::string, std::string>& options);
std::map<std::string, std::string> read_kept_options(Sql& sql);

}  // namespace ke::sqlite
