#include "archive/run_devices.hpp"

#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/store_file.hpp"

namespace ke {

using sqlite::Row;
using sqlite::Sql;

Result<std::vector<DeviceRecord>> recorded_devices(const RunReader& reader) {
  return reader.file().read(sqlite::read_devices);
}

Result<std::vector<DeviceWork>> work_of_devices(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    if (!sqlite::has_devices(sql)) return std::vector<DeviceWork>();
    return sql.list(
        "SELECT total(e.measured), max(CASE WHEN e.verdict = 'ok' AND typeof(e.objective) = 'real' "
        "THEN e.objective END) FROM device d JOIN device_island i ON i.device = d.position "
        "LEFT JOIN candidate c ON c.island = i.island "
        "LEFT JOIN evaluation e ON e.candidate_id = c.id GROUP BY d.position ORDER BY d.position",
        [](const Row& row) {
          return DeviceWork{row.integer(0), row.null(1) ? 0 : row.real(1)};
        });
  });
}

Result<std::vector<TransferRow>> transfers(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    if (!sqlite::has_devices(sql)) return std::vector<TransferRow>();
    return sql.list(
        "SELECT from_device, to_device, verdict = 'ok', from_objective, to_objective, entry "
        "FROM v_transfer",
        [](const Row& row) {
          return TransferRow{row.text(0),
                             row.text(1),
                             row.integer(2) != 0,
                             row.real(3),
                             row.null(4) ? 0 : row.real(4),
                             row.text(5)};
        });
  });
}

}  // namespace ke
