#include "archive/sqlite/comparison_rows.hpp"

namespace ke::sqlite {
namespace {

void put_clusters(Sql& sql, std::int64_t timing, const std::vector<Cluster>& clusters) {
  std::int64_t number = 0;
  for (const Cluster& c : clusters) {
    sql.run(
        "INSERT INTO cluster (timing_id, number, padding, arms, samples_ns, cpu_ns) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        timing, number++, c.padding, c.order, Nanoseconds{c.samples_ns}, Nanoseconds{c.cpu_ns});
  }
}

void put_timing(Sql& sql, std::int64_t attempt, std::int64_t position, const WorkloadTiming& t) {
  sql.run(
      "INSERT INTO workload_timing (attempt_id, position, workload, role, speedup, ci_low, "
      "ci_high, candidate_ns, opponent_ns, floor_ns) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      attempt, position, t.workload, t.role, Real{t.speedup}, Real{t.ci.low}, Real{t.ci.high},
      Real{t.candidate_ns}, Real{t.opponent_ns}, Real{t.floor_ns});
  put_clusters(sql, sql.last_id(), t.clusters);
}

WorkloadTiming timing_of(const Row& row) {
  WorkloadTiming t;
  t.workload = row.text(1);
  t.role = row.text(2);
  t.speedup = row.real(3);
  t.ci = {row.real(4), row.real(5)};
  t.candidate_ns = row.real(6);
  t.opponent_ns = row.real(7);
  t.floor_ns = row.real(8);
  return t;
}

std::vector<Cluster> read_clusters(Sql& sql, std::int64_t timing) {
  std::vector<Cluster> clusters;
  sql.each(
      "SELECT padding, arms, samples_ns, cpu_ns FROM cluster WHERE timing_id = ? ORDER BY number",
      [&](const Row& row) {
        clusters.push_back({row.integer(0), row.text(1), row.nanoseconds(2), row.nanoseconds(3)});
      },
      timing);
  return clusters;
}

}  // namespace

void put_comparison(Sql& sql, std::int64_t attempt, const Comparison& comparison) {
  sql.run(
      "INSERT INTO measurement (attempt_id, decision, speedup, ci_low, ci_high, resolvable) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      attempt, to_string(comparison.decision), Real{comparison.speedup}, Real{comparison.ci.low},
      Real{comparison.ci.high}, Real{comparison.resolvable});
  std::int64_t position = 0;
  for (const auto& timing : comparison.workloads) put_timing(sql, attempt, position++, timing);
}

std::optional<Comparison> read_comparison(Sql& sql, std::int64_t attempt) {
  std::optional<Comparison> comparison;
  sql.each(
      "SELECT decision, speedup, ci_low, ci_high, resolvable FROM measurement WHERE attempt_id = ?",
      [&](const Row& row) {
        comparison.emplace();
        comparison->decision = parse_name<Decision>(row.text(0), 4);
        comparison->speedup = row.real(1);
        comparison->ci = {row.real(2), row.real(3)};
        comparison->resolvable = row.real(4);
      },
      attempt);
  if (!comparison) return comparison;
  sql.each(
      "SELECT id, workload, role, speedup, ci_low, ci_high, candidate_ns, opponent_ns, floor_ns "
      "FROM workload_timing WHERE attempt_id = ? ORDER BY position",
      [&](const Row& row) {
        comparison->workloads.push_back(timing_of(row));
        comparison->workloads.back().clusters = read_clusters(sql, row.integer(0));
      },
      attempt);
  return comparison;
}

}  // namespace ke::sqlite
