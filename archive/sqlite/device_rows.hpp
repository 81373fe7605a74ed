#pragma once
// Rows of a run with several devices; a run with one has none.

#include <string>
#include <vector>

#include "archive/device_record.hpp"
#include "archive/sqlite/sql.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

/// Whether the file has the tables: those of older programs lack them.
bool has_devices(Sql& sql);

/// Replaces what an earlier session said.
void put_devices(Sql& sql, const std::vector<DeviceRecord>& devices);
std::vector<DeviceRecord> read_devices(Sql& sql);

/// StopRecord::device_champions.
void put_device_champions(Sql& sql, const StopRecord& stop);
void read_device_champions(Sql& sql, StopRecord& stop);

}  // namespace ke::sqlite
