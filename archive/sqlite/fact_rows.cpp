#include "archive/sqlite/fact_rows.hpp"

#include "archive/sqlite/kernel_rows.hpp"

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

std::vector<Cluster> read_clusters(Sql& sql, std::int64_t timing) {
  return sql.list(
      "SELECT padding, arms, samples_ns, cpu_ns FROM cluster WHERE timing_id = ? ORDER BY number",
      [](const Row& row) {
        return Cluster{row.integer(0), row.text(1), row.nanoseconds(2), row.nanoseconds(3)};
      },
      timing);
}

void put_comparison(Sql& sql, std::int64_t attempt, const Comparison& comparison) {
  sql.run(
      "INSERT INTO measurement (attempt_id, decision, speedup, ci_low, ci_high, resolvable) "
      "VALUES (?, ?, ?, ?, ?, ?)",
      attempt, to_string(comparison.decision), Real{comparison.speedup}, Real{comparison.ci.low},
      Real{comparison.ci.high}, Real{comparison.resolvable});
  std::int64_t position = 0;
  for (const auto& timing : comparison.workloads) put_timing(sql, attempt, position++, timing);
}

WorkloadTiming timing_of(Sql& sql, const Row& row) {
  WorkloadTiming t;
  t.workload = row.text(1);
  t.role = row.text(2);
  t.speedup = row.real(3);
  t.ci = {row.real(4), row.real(5)};
  t.candidate_ns = row.real(6);
  t.opponent_ns = row.real(7);
  t.floor_ns = row.real(8);
  t.clusters = read_clusters(sql, row.integer(0));
  return t;
}

std::optional<Comparison> read_comparison(Sql& sql, std::int64_t attempt) {
  auto comparison = sql.last(
      "SELECT decision, speedup, ci_low, ci_high, resolvable FROM measurement WHERE attempt_id = ?",
      [](const Row& row) {
        return Comparison{parse_name<Decision>(row.text(0), 4),
                          row.real(1),
                          {row.real(2), row.real(3)},
                          row.real(4),
                          {}};
      },
      attempt);
  if (!comparison) return comparison;
  comparison->workloads = sql.list(
      "SELECT id, workload, role, speedup, ci_low, ci_high, candidate_ns, opponent_ns, floor_ns "
      "FROM workload_timing WHERE attempt_id = ? ORDER BY position",
      [&](const Row& row) { return timing_of(sql, row); }, attempt);
  return comparison;
}

using Id = std::optional<std::int64_t>;

std::int64_t put_attempt(Sql& sql, const Stamp& stamp, const Job& job, const Fact& fact) {
  const std::int64_t genome = put_genome(sql, job.kernel.genome_hash(), job.kernel);
  std::optional<std::string> opponent;
  Id opponent_genome;
  if (job.opponent) {
    opponent = job.opponent->name;
    if (const auto& kernel = job.opponent->kernel) {
      opponent_genome = put_genome(sql, kernel->genome_hash(), *kernel);
    }
  }
  sql.run(
      "INSERT INTO attempt (key, session_id, purpose, genome_id, opponent, opponent_genome_id, "
      "look, verdict, reason, message, build_id, feedback_id, compile_ns, lane_ns, judge_cpu_ns, "
      "arrived_ms, fact_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      fact.key, stamp.session, to_string(job.kind), genome, opponent, opponent_genome, job.look,
      to_string(fact.verdict), fact.reason, fact.message, put_build(sql, fact.build_hash),
      put_note_or_null(sql, fact.feedback), fact.cost.compile_ns, fact.cost.lane_ns,
      fact.cost.judge_cpu_ns, stamp.now_ms, digest_of(fact));
  return sql.last_id();
}

void put_lists(Sql& sql, std::int64_t attempt, const Fact& fact) {
  using Measure = std::tuple<std::int64_t, const std::string&, Real>;
  sql.insert("INSERT OR FAIL INTO measure (attempt_id, axis, value) VALUES", fact.measures,
             [&](const auto& m) { return Measure(attempt, m.first, Real{m.second}); });
  std::int64_t position = 0;
  for (const Diagnostic& d : fact.diagnostics) {
    sql.run(
        "INSERT INTO diagnostic (attempt_id, position, file, line, col, severity, message) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        attempt, position++, d.file, d.line, d.column, d.severity, d.message);
  }
  position = 0;
  for (const std::string& flag : fact.policy_flags) {
    sql.run("INSERT INTO policy_flag (attempt_id, position, flag) VALUES (?, ?, ?)", attempt,
            position++, flag);
  }
}

void read_lists(Sql& sql, std::int64_t attempt, Fact& fact) {
  sql.each(
      "SELECT axis, value FROM measure WHERE attempt_id = ?",
      [&](const Row& row) { fact.measures.emplace(row.text(0), row.real(1)); }, attempt);
  sql.each(
      "SELECT file, line, col, severity, message FROM diagnostic WHERE attempt_id = ? "
      "ORDER BY position",
      [&](const Row& row) {
        fact.diagnostics.push_back(
            {row.text(0), row.integer(1), row.integer(2), row.text(3), row.text(4)});
      },
      attempt);
  fact.policy_flags = sql.list(
      "SELECT flag FROM policy_flag WHERE attempt_id = ? ORDER BY position",
      [](const Row& row) { return row.text(0); }, attempt);
}

Verdict verdict_of(const std::string& name) {
  const auto verdict = parse_verdict(name);
  if (!verdict) refuse("damaged: '" + name + "' is no known verdict");
  return *verdict;
}

// Reads the attempt's own row; returns its id, by which dependent rows are read.
Id read_attempt(Sql& sql, Fact& fact) {
  Id attempt;
  Id feedback;
  sql.each(
      "SELECT a.id, a.verdict, a.reason, a.message, b.hash, a.feedback_id, a.compile_ns, "
      "a.lane_ns, a.judge_cpu_ns FROM attempt a "
      "LEFT JOIN build b ON b.id = a.build_id WHERE a.key = ?",
      [&](const Row& row) {
        attempt = row.integer(0);
        fact.verdict = verdict_of(row.text(1));
        fact.reason = row.text(2);
        fact.message = row.text(3);
        fact.build_hash = row.digest(4);
        feedback = row.maybe(5);
        fact.cost = {row.integer(6), row.integer(7), row.integer(8)};
      },
      fact.key);
  if (feedback) fact.feedback = read_note(sql, *feedback);
  return attempt;
}

void put_request(Sql& sql, std::int64_t exchange, const LlmRequest& request) {
  std::int64_t position = 0;
  for (const Message& message : request.messages) {
    sql.run("INSERT INTO message (exchange_id, position, role, text_id) VALUES (?, ?, ?, ?)",
            exchange, position++, message.role, put_note(sql, message.text));
  }
  for (const auto& [name, value] : request.settings) {
    sql.run("INSERT INTO exchange_setting (exchange_id, name, value) VALUES (?, ?, ?)", exchange,
            name, value);
  }
}

void read_request(Sql& sql, std::int64_t exchange, LlmRequest& request) {
  sql.each(
      "SELECT m.role, n.text FROM message m JOIN note n ON n.id = m.text_id "
      "WHERE m.exchange_id = ? ORDER BY m.position",
      [&](const Row& row) {
        request.messages.push_back({row.text(0), row.text(1)});
      },
      exchange);
  sql.each(
      "SELECT name, value FROM exchange_setting WHERE exchange_id = ?",
      [&](const Row& row) { request.settings.emplace(row.text(0), row.text(1)); }, exchange);
}

void put_detail(Sql& sql, std::int64_t exchange, const ExchangeDetail& detail) {
  if (detail == ExchangeDetail{}) return;
  sql.run(
      "INSERT INTO exchange_detail (exchange_id, estimated, sent_tokens, reasoning) "
      "VALUES (?, ?, ?, ?)",
      exchange, std::int64_t{detail.estimated}, detail.sent_tokens, detail.reasoning);
}

void read_detail(Sql& sql, std::int64_t exchange, ExchangeDetail& detail) {
  if (!sql.has_table("exchange_detail")) return;
  sql.each(
      "SELECT estimated, sent_tokens, reasoning FROM exchange_detail WHERE exchange_id = ?",
      [&](const Row& row) {
        detail = {row.integer(0) != 0, row.integer(1), row.text(2)};
      },
      exchange);
}

Exchange exchange_of(const Row& row) {
  Exchange e;
  e.request.model = row.text(1);
  e.request.max_output_tokens = row.integer(2);
  e.status = row.text(3);
  e.reply = row.text(4);
  e.model_returned = row.text(5);
  e.input_tokens = row.integer(6);
  e.output_tokens = row.integer(7);
  e.cached_tokens = row.integer(8);
  e.reasoning_tokens = row.integer(9);
  e.dollars = row.real(10);
  return e;
}

}  // namespace

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

std::unordered_set<Digest> read_fact_keys(Sql& sql) {
  std::unordered_set<Digest> keys;
  sql.each("SELECT key FROM attempt", [&](const Row& row) { keys.insert(row.digest(0)); });
  return keys;
}

bool holds_fact(Sql& sql, const Digest& key) {
  return sql.find("SELECT id FROM attempt WHERE key = ?", key).has_value();
}

void put_fact(Sql& sql, const Stamp& stamp, const Job& job, const Fact& fact) {
  const std::int64_t attempt = put_attempt(sql, stamp, job, fact);
  put_lists(sql, attempt, fact);
  if (fact.comparison) put_comparison(sql, attempt, *fact.comparison);
}

std::optional<Fact> read_fact(Sql& sql, const Digest& key) {
  Fact fact;
  fact.key = key;
  const Id attempt = read_attempt(sql, fact);
  if (!attempt) return std::nullopt;
  read_lists(sql, *attempt, fact);
  fact.comparison = read_comparison(sql, *attempt);
  return fact;
}

bool put_exchange(Sql& sql, const Stamp& stamp, const Exchange& e) {
  if (sql.find("SELECT id FROM exchange WHERE key = ?", e.key)) return false;
  sql.run(
      "INSERT INTO exchange (key, session_id, model, max_output_tokens, status, reply_id, "
      "model_returned, input_tokens, output_tokens, cached_tokens, reasoning_tokens, dollars, "
      "fact_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      e.key, stamp.session, e.request.model, e.request.max_output_tokens, e.status,
      put_note(sql, e.reply), e.model_returned, e.input_tokens, e.output_tokens, e.cached_tokens,
      e.reasoning_tokens, Real{e.dollars}, digest_of(e));
  const std::int64_t id = sql.last_id();
  put_request(sql, id, e.request);
  put_detail(sql, id, e.detail);
  return true;
}

std::optional<Exchange> read_exchange(Sql& sql, const Digest& key) {
  std::optional<Exchange> exchange;
  std::int64_t id = 0;
  sql.each(
      "SELECT e.id, e.model, e.max_output_tokens, e.status, n.text, e.model_returned, "
      "e.input_tokens, e.output_tokens, e.cached_tokens, e.reasoning_tokens, e.dollars "
      "FROM exchange e JOIN note n ON n.id = e.reply_id WHERE e.key = ?",
      [&](const Row& row) {
        id = row.integer(0);
        exchange = exchange_of(row);
      },
      key);
  if (!exchange) return exchange;
  exchange->key = key;
  read_request(sql, id, exchange->request);
  read_detail(sql, id, exchange->detail);
  return exchange;
}

std::optional<Exchange> read_exchange_at(Sql& sql, const ExchangePlace& place) {
  const auto key = sql.last(
      "SELECT v.key FROM candidate c JOIN evidence v ON v.candidate_id = c.id "
      "JOIN exchange x ON x.key = v.key WHERE c.step = ? AND c.island = ? AND c.slot = ? "
      "ORDER BY v.position LIMIT 1 OFFSET ?",
      [](const Row& row) { return row.digest(0); }, place.slot.step, place.slot.island,
      place.slot.slot, place.number);
  return key ? read_exchange(sql, *key) : std::nullopt;
}

RecordDigests read_record_digests(Sql& sql) {
  RecordDigests digests;
  sql.each("SELECT key, fact_hash FROM attempt",
           [&](const Row& row) { digests.facts.emplace(row.digest(0), row.digest(1)); });
  sql.each("SELECT key, fact_hash FROM exchange",
           [&](const Row& row) { digests.exchanges.emplace(row.digest(0), row.digest(1)); });
  return digests;
}

}  // namespace ke::sqlite
