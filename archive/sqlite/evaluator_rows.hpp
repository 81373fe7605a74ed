#pragma once
// Rows of the evaluator that measured the run.

#include <optional>

#include "archive/sqlite/sql.hpp"
#include "core/evaluator.hpp"

namespace ke::sqlite {

/// Calls `f` for each list of an EvaluatorInfo, with its name in rows.
template <typename Info, typename F>
void each_list(Info& info, F&& f) {
  f("capability", info.capabilities);
  f("workload", info.workloads);
  f("baseline", info.baselines);
}

/// The text of the sheet that prompts were told, by the device's position; none when it is empty.
void put_sheet(Sql& sql, std::int64_t device, const DeviceSheet& sheet);
/// Leaves `sheet` as it is where none was told, or the file is older than sheets.
void read_sheet(Sql& sql, std::int64_t device, DeviceSheet& sheet);

/// Replaces what an earlier session said. Lanes are no part of it: they change no result.
void put_evaluator(Sql& sql, const EvaluatorInfo& info);
std::optional<EvaluatorInfo> read_evaluator(Sql& sql);

}  // namespace ke::sqlite
