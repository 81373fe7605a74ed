#include "archive/sqlite/evaluator_rows.hpp"

namespace ke::sqlite {

// The first sheet stays, so that all prompts of the run describe the same device.
void put_sheet(Sql& sql, std::int64_t device, const DeviceSheet& sheet) {
  if (sheet.text.empty() || sql.find("SELECT device FROM device_sheet WHERE device = ?", device)) {
    return;
  }
  const ResidencyLimits& limits = sheet.residency;
  sql.run(
      "INSERT INTO device_sheet (device, text, time_unit, registers, threads, shared_bytes, wave) "
      "VALUES (?, ?, ?, ?, ?, ?, ?)",
      device, sheet.text, sheet.time_unit, limits.registers, limits.threads, limits.shared_bytes,
      limits.wave);
  for (const auto& [workload, ns] : sheet.floors_ns) {
    sql.run("INSERT INTO device_floor (device, workload, ns) VALUES (?, ?, ?)", device, workload,
            Real{ns});
  }
}

void read_sheet(Sql& sql, std::int64_t device, DeviceSheet& sheet) {
  constexpr const char* tables =
      "SELECT count(*) FROM sqlite_schema WHERE name IN ('device_sheet', 'device_floor')";
  if (sql.find(tables) != 2) return;
  sql.each(
      "SELECT text, time_unit, registers, threads, shared_bytes, wave FROM device_sheet "
      "WHERE device = ?",
      [&](const Row& row) {
        sheet.text = row.text(0);
        sheet.time_unit = row.text(1);
        sheet.residency = {row.integer(2), row.integer(3), row.integer(4), row.integer(5)};
        sheet.floors_ns.clear();
      },
      device);
  sql.each(
      "SELECT workload, ns FROM device_floor WHERE device = ?",
      [&](const Row& row) { sheet.floors_ns[row.text(0)] = row.real(1); }, device);
}

void put_evaluator(Sql& sql, const EvaluatorInfo& info) {
  sql.run("DELETE FROM evaluator_item");
  sql.run("DELETE FROM evaluator");
  sql.run(
      "INSERT INTO evaluator (id, kind, device_class, toolchain, protocol_version, noisy) "
      "VALUES (1, ?, ?, ?, ?, ?)",
      info.kind, info.device_class, info.toolchain, info.protocol_version,
      std::int64_t{info.noisy ? 1 : 0});
  each_list(info, [&](const char* list, const std::vector<std::string>& items) {
    std::int64_t position = 0;
    for (const std::string& item : items) {
      sql.run("INSERT INTO evaluator_item (list, position, value) VALUES (?, ?, ?)",
              std::string(list), position++, item);
    }
  });
  put_sheet(sql, 0, info.sheet);
}

std::optional<EvaluatorInfo> read_evaluator(Sql& sql) {
  std::optional<EvaluatorInfo> info;
  sql.each("SELECT kind, device_class, toolchain, protocol_version, noisy FROM evaluator",
           [&](const Row& row) {
             info.emplace();
             info->kind = row.text(0);
             info->device_class = row.text(1);
             info->toolchain = row.text(2);
             info->protocol_version = row.integer(3);
             info->noisy = row.integer(4) != 0;
           });
  if (!info) return info;
  each_list(*info, [&](const char* list, std::vector<std::string>& items) {
    sql.each(
        "SELECT value FROM evaluator_item WHERE list = ? ORDER BY position",
        [&](const Row& row) { items.push_back(row.text(0)); }, std::string(list));
  });
  read_sheet(sql, 0, info->sheet);
  return info;
}

}  // namespace ke::sqlite
