#pragma once
// Stores and loads steps, the stop and the run's header.

#include <functional>
#include <optional>

#include "archive/sqlite/store_file.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

void put_header(Sql& sql, const RunHeader& header);
std::optional<RunHeader> read_header(Sql& sql);

void put_step(Sql& sql, const Stamp& stamp, const StepRecord& record);
std::int64_t count_steps(Sql& sql);
std::optional<Digest> read_step_hash(Sql& sql, std::int64_t index);
/// The complete committed step with its candidates; nothing beyond the end.
std::optional<StepRecord> read_step(Sql& sql, std::int64_t index);

void put_stop(Sql& sql, const StopRecord& stop);
/// Deletes the stop, since the run continues.
void delete_stop(Sql& sql);
std::optional<StopRecord> read_stop(Sql& sql);

void put_verified(Sql& sql, const VerifiedFigure& figure);
/// Calls `f` with each figure and its stored hash, ordered by candidate, baseline, role.
void each_verified(Sql& sql, const std::function<void(const VerifiedFigure&, const Digest&)>& f);
Digest content_hash(const VerifiedFigure& figure);

}  // namespace ke::sqlite
