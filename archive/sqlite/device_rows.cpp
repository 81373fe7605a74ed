#include "archive/sqlite/device_rows.hpp"

#include "archive/sqlite/candidate_rows.hpp"
#include "archive/sqlite/evaluator_rows.hpp"

namespace ke::sqlite {
namespace {

void put_device(Sql& sql, std::int64_t position, const DeviceRecord& device) {
  const EvaluatorInfo& info = device.info;
  sql.run(
      "INSERT INTO device (position, name, task, kind, device_class, toolchain, protocol_version, "
      "noisy) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      position, device.name, device.task, info.kind, info.device_class, info.toolchain,
      info.protocol_version, std::int64_t{info.noisy ? 1 : 0});
  each_list(info, [&](const char* list, const std::vector<std::string>& items) {
    std::int64_t number = 0;
    for (const std::string& item : items) {
      sql.run("INSERT INTO device_item (device, list, position, value) VALUES (?, ?, ?, ?)",
              position, std::string(list), number++, item);
    }
  });
  put_sheet(sql, position, info.sheet);
  for (const std::int64_t island : device.islands) {
    sql.run("INSERT INTO device_island (island, device) VALUES (?, ?)", island, position);
  }
}

void read_items(Sql& sql, std::int64_t position, DeviceRecord& device) {
  each_list(device.info, [&](const char* list, std::vector<std::string>& items) {
    sql.each(
        "SELECT value FROM device_item WHERE device = ? AND list = ? ORDER BY position",
        [&](const Row& row) { items.push_back(row.text(0)); }, position, std::string(list));
  });
  sql.each(
      "SELECT island FROM device_island WHERE device = ? ORDER BY island",
      [&](const Row& row) { device.islands.push_back(row.integer(0)); }, position);
  read_sheet(sql, position, device.info.sheet);
}

}  // namespace

bool has_devices(Sql& sql) {
  return sql.find("SELECT count(*) FROM sqlite_schema WHERE name = 'device_champion'") == 1;
}

void put_devices(Sql& sql, const std::vector<DeviceRecord>& devices) {
  sql.run("DELETE FROM device_item");
  sql.run("DELETE FROM device_island");
  sql.run("DELETE FROM device");
  std::int64_t position = 0;
  for (const DeviceRecord& device : devices) put_device(sql, position++, device);
}

std::vector<DeviceRecord> read_devices(Sql& sql) {
  std::vector<DeviceRecord> devices;
  if (!has_devices(sql)) return devices;
  sql.each(
      "SELECT name, task, kind, device_class, toolchain, protocol_version, noisy FROM device "
      "ORDER BY position",
      [&](const Row& row) {
        DeviceRecord device{row.text(0), row.text(1), {}, {}};
        device.info.kind = row.text(2);
        device.info.device_class = row.text(3);
        device.info.toolchain = row.text(4);
        device.info.protocol_version = row.integer(5);
        device.info.noisy = row.integer(6) != 0;
        devices.push_back(std::move(device));
      });
  std::int64_t position = 0;
  for (DeviceRecord& device : devices) read_items(sql, position++, device);
  return devices;
}

void put_device_champions(Sql& sql, const StopRecord& stop) {
  std::int64_t device = 0;
  for (const auto& champion : stop.device_champions) {
    std::optional<std::int64_t> row;
    if (champion) row = candidate_row(sql, *champion, "champion:");
    sql.run("INSERT OR REPLACE INTO device_champion (device, candidate_id) VALUES (?, ?)", device++,
            row);
  }
}

void read_device_champions(Sql& sql, StopRecord& stop) {
  if (!has_devices(sql)) return;
  std::vector<std::optional<std::int64_t>> rows;
  sql.each("SELECT candidate_id FROM device_champion ORDER BY device",
           [&](const Row& row) { rows.push_back(row.maybe(0)); });
  for (const auto& row : rows) {
    stop.device_champions.emplace_back();
    if (row) stop.device_champions.back() = candidate_id(sql, *row);
  }
}

}  // namespace ke::sqlite
