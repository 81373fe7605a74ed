#pragma once
// Rows of the evaluator that measured the run.

#include <optional>

#include "archive/sqlite/sql.hpp"
#include "core/evaluator.hpp"

namespace ke::sqlite {

/// Calls `f` for each list of an EvaluatorInfo, with the list's name in the rows.
template <typename Info, typename F>
void each_list(Info& info, F&& f) {
  f("capability", info.capabilities);
  f("workload", info.workloads);
  f("baseline", info.baselines);
}

/// Stores the device sheet of prompts by device index; nothing if its text is empty.
void put_sheet(Sql& sql, std::int64_t device, const DeviceSheet& sheet);
/// Leaves `sheet` unchanged if none is stored, also in files older than sheets.
void read_sheet(Sql& sql, std::int64_t device, DeviceSheet& sheet);

/// Replaces the evaluator of an earlier session. Lanes are not stored: they do not affect results.
void put_evaluator(Sql& sql, const EvaluatorInfo& info);
std::optional<EvaluatorInfo> read_evaluator(Sql& sql);

}  // namespace ke::sqlite
