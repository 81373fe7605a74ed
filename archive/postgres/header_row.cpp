#include "archive/postgres/header_row.hpp"

#include "core/result.hpp"

namespace ke::postgres {
Fact stored_fact(const Digest& key, std::string_view bytes) {
  Result<Fact> fact = decode<Fact>(bytes);
  if (fact && fact->key == key) return *std::move(fact);
  Fact damaged;
  damaged.key = key;
  damaged.verdict = Verdict::lost;
  damaged.reason = "damaged";
  damaged.message = "a worker handed in what is no fact of this job";
  return damaged;
}

RunHeader header_in(const pqxx::row& row) {
  RunHeader header;
  header.format_version = row["format_version"].as<std::int64_t>();
  header.config_text = row["config_text"].as<std::string>();
  header.config_id = digest_in(row["config_id"]);
  header.task = row["task"].as<std::string>();
  header.task_hash = digest_in(row["task_hash"]);
  header.seed = row["seed"].as<std::int64_t>();
  return header;
}

std::optional<RunHeader> read_header(Sql& sql, std::int64_t run) {
  const auto rows = sql.run(
      "SELECT format_version, config_text, config_id, task, task_hash, seed FROM run "
      "WHERE id = $1 AND config_text IS NOT NULL",
      run);
  if (rows.empty()) return std::nullopt;
  return header_in(rows[0]);
}

void put_header(Sql& sql, std::int64_t run, const RunHeader& header) {
  if (const auto stored = read_header(sql, run)) {
    if (auto same = check_same_run(*stored, header); !same) throw Refusal(same.error());
    return;
  }
  sql.run(
      "UPDATE run SET format_version = $2, config_text = $3, config_id = $4, task = $5, "
      "task_hash = $6, seed = $7 WHERE id = $1",
      run, header.format_version, header.config_text, header.config_id, header.task,
      header.task_hash, header.seed);
}

}  // namespace ke::postgres
