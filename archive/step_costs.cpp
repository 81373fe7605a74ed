#include "archive/step_costs.hpp"

#include <map>

#include "archive/sqlite/store_file.hpp"

namespace ke {

namespace {

/// Nanoseconds of facts by the first step that uses them. Summed here, because SQLite would join
/// such a subquery without an index, in time quadratic in the steps.
std::map<std::int64_t, std::int64_t> costs_by_first_step(sqlite::Sql& sql) {
  std::map<std::int64_t, std::int64_t> costs;
  sql.each(
      "SELECT min(c.step_idx), a.compile_ns + a.lane_ns FROM evidence v "
      "JOIN candidate c ON c.id = v.candidate_id JOIN attempt a ON a.key = v.key GROUP BY a.id",
      [&](const sqlite::Row& row) { costs[row.integer(0)] += row.integer(1); });
  return costs;
}

}  // namespace

Result<std::vector<double>> device_seconds(const RunReader& reader) {
  return reader.file().read([](sqlite::Sql& sql) {
    const auto costs = costs_by_first_step(sql);
    std::vector<double> seconds;
    double spent = 0;
    sql.each("SELECT idx FROM step ORDER BY idx", [&](const sqlite::Row& row) {
      const auto own = costs.find(row.integer(0));
      if (own != costs.end()) spent += static_cast<double>(own->second) / 1e9;
      seconds.push_back(spent);
    });
    return seconds;
  });
}

}  // namespace ke
