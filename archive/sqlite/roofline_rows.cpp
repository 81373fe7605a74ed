#include "archive/sqlite/roofline_rows.hpp"

namespace ke::sqlite {
namespace {

bool has_tables(Sql& sql) {
  return sql.find(
             "SELECT count(*) FROM sqlite_schema WHERE name IN ('workload_cost', 'ceiling')") == 2;
}

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

void read_ceilings(Sql& sql, Roofline& roofline) {
  sql.each("SELECT name, max(flops_per_s) FROM ceiling GROUP BY name ORDER BY name",
           [&](const Row& row) {
             roofline.ceilings.push_back({row.text(0), row.real(1)});
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
  if (!has_tables(sql)) return roofline;
  read_workloads(sql, roofline);
  if (roofline.workloads.empty()) return roofline;
  read_ceilings(sql, roofline);
  read_screened(sql, roofline);
  read_verified(sql, roofline);
  return roofline;
}

}  // namespace ke::sqlite
