#pragma once
// Rows of a run with several devices; other runs have none.

#include <string>
#include <vector>

#include "archive/device_record.hpp"
#include "archive/sqlite/sql.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

/// Whether the file has the tables; files of older versions lack them.
bool has_devices(Sql& sql);

/// Replaces the devices of an earlier session.
void put_devices(Sql& sql, const std::vector<DeviceRecord>& devices);
std::vector<DeviceRecord> read_devices(Sql& sql);

/// Stores StopRecord::device_champions.
void put_device_champions(Sql& sql, const StopRecord& stop);
void read_device_champions(Sql& sql, StopRecord& stop);

}  // namespace ke::sqlite
