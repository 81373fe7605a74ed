#include "archive/sqlite/evaluator_rows.hpp"

namespace ke::sqlite {

void put_sheet(Sql& sql, std::int64_t device, const DeviceSheet& sheet) {
  if (sheet.text.empty()) return;
  sql.run("INSERT OR REPLACE INTO device_sheet (device, text) VALUES (?, ?)", device, sheet.text);
}

void read_sheet(Sql& sql, std::int64_t device, DeviceSheet& sheet) {
  if (sql.find("SELECT count(*) FROM sqlite_schema WHERE name = 'device_sheet'") != 1) return;
  sql.each(
      "SELECT text FROM device_sheet WHERE device = ?",
      [&](const Row& row) { sheet.text = row.text(0); }, device);
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
  sql.run("DELETE FROM device_sheet");
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
