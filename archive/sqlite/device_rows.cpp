#include "archive/sqlite/device_rows.hpp"

#include "archive/sqlite/candidate_rows.hpp"

namespace ke::sqlite {
namespace {

/// An evaluator from five columns from `column` on, without its lists and sheet.
EvaluatorInfo info_in(const Row& row, int column) {
  EvaluatorInfo info;
  info.kind = row.text(column);
  info.device_class = row.text(column + 1);
  info.toolchain = row.text(column + 2);
  info.protocol_version = row.integer(column + 3);
  info.noisy = row.integer(column + 4) != 0;
  return info;
}

}  // namespace

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
  if (!sql.has_table("device_sheet") || !sql.has_table("device_floor")) return;
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
  auto info =
      sql.last("SELECT kind, device_class, toolchain, protocol_version, noisy FROM evaluator",
               [](const Row& row) { return info_in(row, 0); });
  if (!info) return info;
  each_list(*info, [&](const char* list, std::vector<std::string>& items) {
    items = sql.list(
        "SELECT value FROM evaluator_item WHERE list = ? ORDER BY position",
        [](const Row& row) { return row.text(0); }, std::string(list));
  });
  read_sheet(sql, 0, info->sheet);
  return info;
}

namespace {

void read_workloads(Sql& sql, Roofline& roofline) {
  sql.each(
      "SELECT w.workload, w.role, w.bytes, w.flops, total(w.bytes / f.floor_ns) FROM workload_cost "
      "w LEFT JOIN (SELECT workload, min(floor_ns) AS floor_ns FROM workload_timing "
      "  WHERE floor_ns > 0 GROUP BY workload) f USING (workload) "
      "GROUP BY w.position ORDER BY w.position",
      [&](const Row& row) {
        roofline.workloads.push_back(
            {{row.text(0), row.text(1), row.integer(2), row.integer(3)}, row.real(4)});
      });
}

void read_screened(Sql& sql, Roofline& roofline) {
  sql.each(
      "SELECT w.position, v.candidate_id - 1, t.candidate_ns FROM evidence v "
      "JOIN candidate c ON c.id = v.candidate_id JOIN evaluation e ON e.candidate_id = c.id "
      "JOIN attempt a ON a.key = v.key JOIN workload_timing t ON t.attempt_id = a.id "
      "JOIN workload_cost w ON w.workload = t.workload "
      "WHERE c.outcome = 'kernel' AND e.verdict = 'ok' AND a.purpose = 'screen' "
      "AND t.candidate_ns > 0 ORDER BY v.candidate_id, w.position",
      [&](const Row& row) {
        roofline.points.push_back(
            {static_cast<std::size_t>(row.integer(0)), "screened", row.integer(1), row.real(2)});
      });
}

// The champion's times, then those of the baselines.
void read_verified(Sql& sql, Roofline& roofline) {
  sql.each(
      "WITH timed AS (SELECT w.position, f.baseline, t.candidate_ns, t.opponent_ns FROM stop s "
      "  JOIN verified f ON f.candidate_id = s.champion_id JOIN attempt a ON a.key = f.fact_key "
      "  JOIN workload_timing t ON t.attempt_id = a.id AND t.role = f.role "
      "  JOIN workload_cost w ON w.workload = t.workload "
      "  WHERE t.candidate_ns > 0 AND t.opponent_ns > 0) "
      "SELECT position, 'champion', avg(candidate_ns) FROM timed GROUP BY position "
      "UNION ALL SELECT position, baseline, opponent_ns FROM timed ORDER BY 2, 1",
      [&](const Row& row) {
        roofline.points.push_back(
            {static_cast<std::size_t>(row.integer(0)), row.text(1), -1, row.real(2)});
      });
}

}  // namespace

void put_roofline(Sql& sql, std::optional<std::int64_t> session,
                  const std::vector<WorkloadCost>& costs, const std::vector<Ceiling>& ceilings) {
  sql.run("DELETE FROM workload_cost");
  std::int64_t position = 0;
  for (const WorkloadCost& cost : costs) {
    sql.run(
        "INSERT INTO workload_cost (position, workload, role, bytes, flops) VALUES (?, ?, ?, ?, ?)",
        position++, cost.workload, cost.role, cost.bytes, cost.flops);
  }
  if (!session) return;
  for (const Ceiling& ceiling : ceilings) {
    sql.run("INSERT INTO ceiling (session_id, name, flops_per_s) VALUES (?, ?, ?)", *session,
            ceiling.name, Real{ceiling.flops_per_s});
  }
}

Roofline read_roofline(Sql& sql) {
  Roofline roofline;
  if (!sql.has_table("ceiling")) return roofline;
  read_workloads(sql, roofline);
  if (roofline.workloads.empty()) return roofline;
  roofline.ceilings = sql.list(
      "SELECT name, max(flops_per_s) FROM ceiling GROUP BY name ORDER BY name", [](const Row& row) {
        return Ceiling{row.text(0), row.real(1)};
      });
  read_screened(sql, roofline);
  read_verified(sql, roofline);
  return roofline;
}

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
    items = sql.list(
        "SELECT value FROM device_item WHERE device = ? AND list = ? ORDER BY position",
        [](const Row& row) { return row.text(0); }, position, std::string(list));
  });
  device.islands = sql.list(
      "SELECT island FROM device_island WHERE device = ? ORDER BY island",
      [](const Row& row) { return row.integer(0); }, position);
  read_sheet(sql, position, device.info.sheet);
}

}  // namespace

bool has_devices(Sql& sql) { return sql.has_table("device_champion"); }

void put_devices(Sql& sql, const std::vector<DeviceRecord>& devices) {
  sql.run("DELETE FROM device_item");
  sql.run("DELETE FROM device_island");
  sql.run("DELETE FROM device");
  std::int64_t position = 0;
  for (const DeviceRecord& device : devices) put_device(sql, position++, device);
}

std::vector<DeviceRecord> read_devices(Sql& sql) {
  if (!has_devices(sql)) return {};
  auto devices = sql.list(
      "SELECT name, task, kind, device_class, toolchain, protocol_version, noisy FROM device "
      "ORDER BY position",
      [](const Row& row) {
        return DeviceRecord{row.text(0), row.text(1), info_in(row, 2), {}};
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
  stop.device_champions =
      sql.list("SELECT candidate_id FROM device_champion ORDER BY device", [&](const Row& row) {
        return row.null(0) ? std::nullopt : std::optional(candidate_id(sql, row.integer(0)));
      });
}

}  // namespace ke::sqlite
