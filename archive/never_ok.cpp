#include "archive/never_ok.hpp"

#include <fmt/format.h>

#include "archive/sqlite/store_file.hpp"

namespace ke {

using sqlite::Row;
using sqlite::Sql;

Result<std::vector<std::string>> never_ok(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    std::vector<std::string> sentences;
    sql.each(
        "WITH judged AS (SELECT c.genome_id, g.source_id, e.verdict FROM candidate c "
        "JOIN evaluation e ON e.candidate_id = c.id JOIN genome g ON g.id = c.genome_id "
        "WHERE c.outcome = 'kernel' AND e.verdict NOT IN ('lost', 'unreliable', 'timeout')), "
        "named AS (SELECT j.source_id, j.verdict, k.name || '=' || k.value AS value FROM judged j "
        "JOIN knob k ON k.genome_id = j.genome_id "
        "UNION ALL SELECT j.source_id, j.verdict, f.value FROM judged j "
        "JOIN flag f ON f.genome_id = j.genome_id WHERE f.value <> '') "
        "SELECT value, count(*), max(verdict) FROM named n "
        "WHERE EXISTS (SELECT 1 FROM judged j WHERE j.source_id = n.source_id AND j.verdict = "
        "'ok') "
        "GROUP BY source_id, value HAVING count(*) >= 3 AND sum(verdict = 'ok') = 0 "
        "ORDER BY count(*) DESC, value LIMIT 5",
        [&](const Row& row) {
          sentences.push_back(fmt::format("no kernel passed with {}: {} failed, as with {}",
                                          row.text(0), row.integer(1), row.text(2)));
        });
    return sentences;
  });
}

}  // namespace ke
