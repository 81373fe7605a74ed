#include "archive/sqlite/trial_rows.hpp"

namespace ke::sqlite {

std::map<std::int64_t, std::int64_t> read_timed_trials(Sql& sql) {
  std::map<std::int64_t, std::int64_t> trials;
  if (!sql.find("SELECT 1 FROM exchange_setting WHERE name = 'tools' LIMIT 1")) return trials;
  // A correctness check on the test shapes is a screen without an opponent.
  sql.each(
      "SELECT c.step_idx, count(*) FROM (SELECT DISTINCT v.candidate_id AS candidate, a.build_id "
      "FROM evidence v JOIN attempt a ON a.key = v.key "
      "JOIN evaluation e ON e.candidate_id = v.candidate_id "
      "WHERE a.purpose = 'screen' AND a.opponent <> '' AND a.build_id IS NOT NULL "
      "AND a.build_id IS NOT e.build_id AND a.verdict NOT IN ('lost', 'unreliable', 'timeout')) t "
      "JOIN candidate c ON c.id = t.candidate GROUP BY c.step_idx",
      [&](const Row& row) { trials.emplace(row.integer(0), row.integer(1)); });
  return trials;
}

}  // namespace ke::sqlite
