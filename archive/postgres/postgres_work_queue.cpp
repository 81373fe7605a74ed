#include "archive/postgres/postgres_work_queue.hpp"

#include <fmt/format.h>

#include <utility>

#include "archive/postgres/header_row.hpp"

namespace ke::postgres {
namespace {

// A claim searches the queue from the last job found on. After this long it searches all of it
// again: where the last claim found no job, and where it found one.
constexpr std::chrono::milliseconds pause_when_idle(1000);
constexpr std::chrono::milliseconds pause_when_busy(10'000);

std::vector<std::string> as_text(const std::vector<std::int64_t>& numbers) {
  std::vector<std::string> list;
  for (const std::int64_t number : numbers) list.push_back(std::to_string(number));
  return list;
}

Fact fact_in(const pqxx::row& row) {
  const Digest key = digest_in(row["key"]);
  if (row["state"].as<std::string>() == "abandoned") {
    return abandoned_fact(key, row["attempt"].as<std::int64_t>());
  }
  return stored_fact(key, bytes_of(row["fact"]));
}

}  // namespace

Result<void> PostgresWorkQueue::push(const Job& job) {
  pushed_.push_back(job);
  return {};
}

// A job whose reference failed may be there still: its row was not deleted before a crash.
Result<void> PostgresWorkQueue::flush() {
  if (pushed_.empty()) return tell_workers();
  KE_TRY_VOID(connection_.transact([&](Sql& sql) {
    for (const Job& job : pushed_) {
      sql.run(
          "INSERT INTO job (run_id, key, needs, job) SELECT $1::bigint, $2::bytea, $3::text[], "
          "$4::bytea WHERE NOT EXISTS (SELECT FROM fact WHERE run_id = $1::bigint AND key = "
          "$2::bytea) ON CONFLICT (run_id, key) DO UPDATE SET state = 'ready', fact = NULL "
          "WHERE job.state = 'failed'",
          place_.run, job.key, text_array(job.needs), Bytes{encode(job)});
    }
  }));
  pushed_.clear();
  look_ = {};
  news_ = true;
  return tell_workers();
}

// Each notification wakes every idle worker and costs the server a signal for each of them.
Result<void> PostgresWorkQueue::tell_workers() {
  constexpr std::chrono::milliseconds least_pause(5);
  const auto now = std::chrono::steady_clock::now();
  if (!news_ || now - told_ < least_pause) return {};
  news_ = false;
  told_ = now;
  return connection_.notify(jobs_channel);
}

Result<std::optional<Lease>> PostgresWorkQueue::claim(const std::vector<std::string>& capabilities,
                                                      Time now, Time lease) {
  KE_TRY_VOID(flush());
  begin_look(capabilities);
  KE_TRY(auto claimed, claim_in_look(now, lease));
  found_nothing_ = !claimed;
  if (found_nothing_) {
    KE_TRY_VOID(abandon(now));
    look_.expired_from = now;
  }
  return claimed;
}

// A look from the start finds what came back behind the place where others begin: jobs that were
// given back, and those that somebody had locked for a moment.
void PostgresWorkQueue::begin_look(const std::vector<std::string>& capabilities) {
  const auto age = Clock::now() - whole_look_;
  if (age < (found_nothing_ ? pause_when_idle : pause_when_busy) &&
      capabilities == look_.capabilities) {
    return;
  }
  whole_look_ = Clock::now();
  look_ = {capabilities};
}

Result<std::optional<Lease>> PostgresWorkQueue::claim_in_look(Time now, Time lease) {
  return connection_.single([&](Sql& sql) -> std::optional<Lease> {
    const auto rows = sql.run(
        "UPDATE job SET state = 'leased', worker = $5::bigint, attempt = attempt + 1, "
        "lease = nextval('lease_number'), lease_until = $3::bigint + $4::bigint "
        "WHERE id = coalesce("
        "(SELECT id FROM job WHERE run_id = $1::bigint AND state = 'leased' "
        "AND lease_until > $7::bigint AND lease_until <= $3::bigint AND attempt < $6::integer "
        "AND needs <@ $2::text[] ORDER BY lease_until FOR UPDATE SKIP LOCKED LIMIT 1), "
        "(SELECT id FROM job WHERE run_id = $1::bigint AND state = 'ready' AND id >= $8::bigint "
        "AND needs <@ $2::text[] ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1)) "
        "RETURNING lease, job, id, attempt",
        place_.run, text_array(look_.capabilities), now.count(), lease.count(), place_.worker,
        place_.most_attempts, look_.expired_from.count(), look_.ready_from);
    if (rows.empty()) return std::nullopt;
    if (rows[0][3].as<int>() == 1) {  // else it may be one of several whose leases were over
      look_.expired_from = now;
      look_.ready_from = rows[0][2].as<std::int64_t>();
    }
    Result<Job> job = decode<Job>(bytes_of(rows[0][1]));
    if (!job) throw Refusal({Failure::store, "the queue holds a job of another version"});
    return Lease{rows[0][0].as<std::int64_t>(), *std::move(job)};
  });
}

// Only whoever finds nothing to do looks for jobs that nobody may claim any more.
Result<void> PostgresWorkQueue::abandon(Time now) {
  return connection_.single([&](Sql& sql) {
    sql.run(
        "UPDATE job SET state = 'abandoned', lease_until = (extract(epoch FROM now()) * "
        "1000)::bigint WHERE run_id = $1 AND state = 'leased' AND lease_until > $4 "
        "AND lease_until <= $2 AND attempt >= $3",
        place_.run, now.count(), place_.most_attempts, look_.expired_from.count());
  });
}

Result<bool> PostgresWorkQueue::heartbeat(std::int64_t lease_id, Time now, Time lease) {
  return connection_.single([&](Sql& sql) {
    return !sql.run(
                   "UPDATE job SET lease_until = $3::bigint + $4::bigint WHERE run_id = $1 "
                   "AND lease = $2 AND state = 'leased' AND lease_until > $3::bigint RETURNING id",
                   place_.run, lease_id, now.count(), lease.count())
                .empty();
  });
}

// A lease that is over but that nobody took up is as good as a live one: the work is done.
Result<bool> PostgresWorkQueue::complete(std::int64_t lease_id, const Fact& fact, Time) {
  const std::string bytes = encode(fact);
  return connection_.single([&](Sql& sql) {
    if (fact.reason == reference_failed) {
      return !sql.run(
                     "UPDATE job SET state = 'failed', attempt = 0, fact = $3, "
                     "lease_until = (extract(epoch FROM now()) * 1000)::bigint WHERE run_id = $1 "
                     "AND lease = $2 AND state IN ('leased', 'failed') RETURNING id",
                     place_.run, lease_id, Bytes{bytes})
                  .empty();
    }
    const auto done = sql.run(
        "WITH done AS (UPDATE job SET state = 'done', "
        "lease_until = (extract(epoch FROM now()) * 1000)::bigint WHERE run_id = $1 "
        "AND lease = $2 AND state IN ('leased', 'done') AND key = $3 "
        "RETURNING run_id, key, job, attempt), "
        "put AS (INSERT INTO fact (run_id, key, job, fact, worker, attempt) "
        "SELECT run_id, key, job, $4, $5, attempt FROM done ON CONFLICT DO NOTHING) "
        "SELECT count(*) FROM done",
        place_.run, lease_id, fact.key, Bytes{bytes}, place_.worker);
    return done[0][0].as<std::int64_t>() > 0;
  });
}

Result<bool> PostgresWorkQueue::give_back(std::int64_t lease_id) {
  KE_TRY(const bool given, connection_.single([&](Sql& sql) {
    return !sql.run(
                   "UPDATE job SET state = 'ready', attempt = attempt - 1, lease = NULL "
                   "WHERE run_id = $1 AND lease = $2 AND state = 'leased' RETURNING id",
                   place_.run, lease_id)
                .empty();
  }));
  look_ = {};
  if (given) KE_TRY_VOID(connection_.notify(jobs_channel));
  return given;
}

// Facts closed since the last call, with room for a commit that took long; now and then all.
std::int64_t PostgresWorkQueue::window_ms() {
  constexpr std::chrono::milliseconds room(2000);
  constexpr auto all = std::chrono::milliseconds(std::int64_t{1} << 60);
  const auto now = Clock::now();
  auto window = room + std::chrono::duration_cast<std::chrono::milliseconds>(now - taken_);
  if (now - whole_take_ >= pause_when_busy) {
    whole_take_ = now;
    window = all;
  }
  taken_ = now;
  return window.count();
}

// Rows are deleted one call later: the answer of a transaction that took them for good could be
// lost with its connection.
Result<std::vector<Fact>> PostgresWorkQueue::take_finished() {
  KE_TRY_VOID(flush());
  if (!given_.empty()) {
    KE_TRY_VOID(connection_.single([&](Sql& sql) {
      sql.run("DELETE FROM job WHERE id = ANY($1::bigint[])", text_array(as_text(given_)));
    }));
    given_.clear();
  }
  const std::int64_t window = window_ms();
  return connection_.single([&](Sql& sql) {
    const auto rows = sql.run(
        "SELECT j.id, j.key, j.state, j.attempt, coalesce(f.fact, j.fact) AS fact FROM job j "
        "LEFT JOIN fact f ON f.run_id = j.run_id AND f.key = j.key "
        "WHERE j.run_id = $1 AND j.state IN ('done', 'failed', 'abandoned') "
        "AND j.lease_until >= (extract(epoch FROM now()) * 1000)::bigint - $2 ORDER BY j.id",
        place_.run, window);
    std::vector<Fact> facts;
    given_.clear();
    for (const auto& row : rows) {
      given_.push_back(row["id"].as<std::int64_t>());
      facts.push_back(fact_in(row));
    }
    return facts;
  });
}

Result<void> PostgresWorkQueue::cancel(const Digest& key) {
  std::erase_if(pushed_, [&](const Job& job) { return job.key == key; });
  return connection_.single([&](Sql& sql) {
    sql.run("DELETE FROM job WHERE run_id = $1 AND key = $2 AND state IN ('ready', 'leased')",
            place_.run, key);
  });
}

}  // namespace ke::postgres
