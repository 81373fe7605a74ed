#pragma once
// Rows of what measured a run: its evaluator, its devices where it has several, and for rooflines
// workload costs, device ceilings, and the timings to compare with them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "archive/device_record.hpp"
#include "archive/roofline.hpp"
#include "archive/sqlite/sql.hpp"
#include "core/evaluator.hpp"
#include "core/history.hpp"

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

/// Replaces the costs; adds the ceilings to the session, if any.
void put_roofline(Sql& sql, std::optional<std::int64_t> session,
                  const std::vector<WorkloadCost>& costs, const std::vector<Ceiling>& ceilings);

/// Empty if the run has no costs.
Roofline read_roofline(Sql& sql);

/// Whether the file has the tables; files of older versions lack them.
bool has_devices(Sql& sql);

/// Replaces the devices of an earlier session.
void put_devices(Sql& sql, const std::vector<DeviceRecord>& devices);
std::vector<DeviceRecord> read_devices(Sql& sql);

/// Stores StopRecord::device_champions.
void put_device_champions(Sql& sql, const StopRecord& stop);
void read_device_champions(Sql& sql, StopRecord& stop);

}  // namespace ke::sqlite
