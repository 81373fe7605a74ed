#include "archive/sqlite/axis_rows.hpp"

namespace ke::sqlite {

void put_axes(Sql& sql, const std::string& archive, const std::vector<AxisShape>& axes) {
  sql.run("DELETE FROM axis_bin WHERE archive = ?", archive);
  sql.run("DELETE FROM axis WHERE archive = ?", archive);
  std::int64_t position = 0;
  for (const AxisShape& axis : axes) {
    sql.run("INSERT INTO axis (archive, position, measure, unit) VALUES (?, ?, ?, ?)", archive,
            position, axis.measure, axis.unit);
    std::int64_t bin = 0;
    for (const std::string& label : axis.bins) {
      sql.run("INSERT INTO axis_bin (archive, position, bin, label) VALUES (?, ?, ?, ?)", archive,
              position, bin++, label);
    }
    ++position;
  }
}

std::vector<AxisShape> read_axes(Sql& sql, const std::string& archive) {
  std::vector<AxisShape> axes;
  sql.each(
      "SELECT measure, unit FROM axis WHERE archive = ? ORDER BY position",
      [&](const Row& row) {
        axes.push_back({row.text(0), row.text(1), {}});
      },
      archive);
  sql.each(
      "SELECT position, label FROM axis_bin WHERE archive = ? ORDER BY position, bin",
      [&](const Row& row) {
        axes.at(static_cast<std::size_t>(row.integer(0))).bins.push_back(row.text(1));
      },
      archive);
  return axes;
}

}  // namespace ke::sqlite
