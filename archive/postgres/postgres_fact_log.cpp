#include "archive/postgres/postgres_fact_log.hpp"

#include "archive/postgres/stored_fact.hpp"
#include "core/fact_log.hpp"

namespace ke::postgres {

Result<void> PostgresFactLog::append(const Job& job, const Fact& fact) {
  return connection_.single([&](Sql& sql) {
    sql.run(
        "INSERT INTO fact (run_id, key, job, fact) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
        run_, fact.key, Bytes{encode(job)}, Bytes{encode(fact)});
  });
}

Result<void> PostgresFactLog::append(const Exchange& exchange) {
  return connection_.single([&](Sql& sql) {
    sql.run(
        "INSERT INTO exchange (run_id, key, exchange) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
        run_, exchange.key, Bytes{encode(exchange)});
  });
}

Result<std::optional<Fact>> PostgresFactLog::find(const Digest& key) const {
  return connection_.single([&](Sql& sql) -> std::optional<Fact> {
    const auto rows = sql.run("SELECT fact FROM fact WHERE run_id = $1 AND key = $2", run_, key);
    if (rows.empty()) return std::nullopt;
    return stored_fact(key, bytes_of(rows[0][0]));
  });
}

Result<std::optional<Job>> PostgresFactLog::find_job(const Digest& key) const {
  return connection_.single([&](Sql& sql) -> std::optional<Job> {
    const auto rows = sql.run("SELECT job FROM fact WHERE run_id = $1 AND key = $2", run_, key);
    if (rows.empty()) return std::nullopt;
    Result<Job> job = decode<Job>(bytes_of(rows[0][0]));
    if (!job) throw Refusal({Failure::store, "the database holds a damaged job"});
    return *std::move(job);
  });
}

Result<std::optional<Exchange>> PostgresFactLog::find_exchange(const Digest& key) const {
  return connection_.single([&](Sql& sql) -> std::optional<Exchange> {
    const auto rows =
        sql.run("SELECT exchange FROM exchange WHERE run_id = $1 AND key = $2", run_, key);
    if (rows.empty()) return std::nullopt;
    Result<Exchange> exchange = decode<Exchange>(bytes_of(rows[0][0]));
    if (!exchange) throw Refusal({Failure::store, "the database holds a damaged exchange"});
    return *std::move(exchange);
  });
}

Result<Digest> PostgresFactLog::record_hash() const {
  return connection_.transact([&](Sql& sql) {
    RecordDigests digests;
    for (const auto& row : sql.run("SELECT key, sha256(fact) FROM fact WHERE run_id = $1", run_)) {
      digests.facts.emplace(digest_in(row[0]), digest_in(row[1]));
    }
    for (const auto& row :
         sql.run("SELECT key, sha256(exchange) FROM exchange WHERE run_id = $1", run_)) {
      digests.exchanges.emplace(digest_in(row[0]), digest_in(row[1]));
    }
    return digests.hash();
  });
}

}  // namespace ke::postgres
