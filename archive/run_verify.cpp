#include "archive/run_verify.hpp"

#include <fmt/format.h>

#include "archive/sqlite/candidate_rows.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "archive/sqlite/store_file.hpp"
#include "archive/sqlite/task_rows.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

class Verifier {
 public:
  Verifier(Sql& sql, VerifyReport& report) : sql_(sql), report_(report) {}

  void run() {
    check_file();
    check_history();
    check_facts();
    check_evidence();
    check_verified();
  }

 private:
  template <typename... Args>
  void problem(fmt::format_string<Args...> text, Args&&... args) {
    report_.problems.push_back(fmt::format(text, std::forward<Args>(args)...));
  }

  // One damaged row must not hide problems in others.
  template <typename F>
  void guard(const std::string& row, F&& f) {
    try {
      f();
    } catch (const sqlite::Refusal& refusal) {
      problem("{}: {}", row, refusal.error.message);
    }
  }

  void check_file() {
    sql_.each("PRAGMA integrity_check", [&](const Row& row) {
      if (row.text(0) != "ok") problem("file: {}", row.text(0));
    });
    sql_.each("PRAGMA foreign_key_check", [&](const Row& row) {
      problem("{} row {}: refers to a missing row of {}", row.text(0),
              row.null(1) ? "?" : row.text(1), row.text(2));
    });
  }

  void check_history() {
    const auto header = sqlite::read_header(sql_);
    if (!header) return problem("run: no header");
    if (sha256(header->config_text) != header->config_id) {
      problem("run: config_text does not give config_id");
    }
    Digest hash = header->first_hash();
    const std::int64_t steps = sqlite::count_steps(sql_);
    for (std::int64_t i = 0; i < steps; ++i) {
      guard(fmt::format("step {}", i), [&] { hash = check_step(i, hash); });
    }
    if (const auto stop = sqlite::read_stop(sql_)) {
      if (stop->chained(hash) != stop->history_hash) problem("stop: does not give its hash");
      if (!stop->numeric_elites.is_zero() &&
          sqlite::numeric_elites_digest(sql_) != stop->numeric_elites) {
        problem("numeric_elite: its rows do not give the hash of the stop");
      }
      hash = stop->history_hash;
    }
    report_.history_hash = hash;
    report_.steps = steps;
  }

  // Returns the stored hash, so that a wrong step is reported once and not again by its successors.
  Digest check_step(std::int64_t index, const Digest& previous) {
    const auto record = sqlite::read_step(sql_, index);
    if (!record) {
      problem("step {}: missing", index);
      return previous;
    }
    const std::size_t before = report_.problems.size();
    for (std::size_t i = 0; i < record->candidates.size(); ++i) {
      check_candidate(*record->candidates[i], record->fact_keys[i]);
    }
    if (record->chained(previous) != record->history_hash) {
      problem("step {}: its rows{} do not give its history hash", index,
              report_.problems.size() > before ? "" : " (step, archive_event or migration)");
    }
    return record->history_hash;
  }

  void check_candidate(const Candidate& candidate, const std::vector<Digest>& fact_keys) {
    Digest stored;
    sql_.each(
        "SELECT content_hash FROM candidate WHERE step = ? AND island = ? AND slot = ?",
        [&](const Row& row) { stored = row.digest(0); }, candidate.id.step, candidate.id.island,
        candidate.id.slot);
    if (sqlite::content_hash(candidate, fact_keys) != stored) {
      problem("candidate {}: its rows do not give its content hash", candidate.id.text());
    }
    if (!candidate.genome_hash.is_zero() &&
        candidate.kernel.genome_hash() != candidate.genome_hash) {
      problem("candidate {}: its kernel does not give its genome hash", candidate.id.text());
    }
  }

  void check_facts() {
    const RecordDigests stored = sqlite::read_record_digests(sql_);
    RecordDigests computed;
    for (const auto& [key, digest] : stored.facts) {
      check_record("attempt", key, digest, computed.facts, sqlite::read_fact);
    }
    for (const auto& [key, digest] : stored.exchanges) {
      check_record("exchange", key, digest, computed.exchanges, sqlite::read_exchange);
    }
    report_.facts = static_cast<std::int64_t>(stored.facts.size() + stored.exchanges.size());
    report_.record_hash = computed.hash();
  }

  template <typename Read>
  void check_record(const char* table, const Digest& key, const Digest& stored,
                    std::map<Digest, Digest>& computed, Read read) {
    const std::string name = fmt::format("{} {}", table, key.short_hex());
    guard(name, [&] {
      const auto record = read(sql_, key);
      if (!record) return problem("{}: rows are missing", name);
      const Digest digest = digest_of(*record);
      computed.emplace(key, digest);
      if (digest != stored) problem("{}: its rows do not give its fact hash", name);
    });
  }

  // Facts are durable before use, so every fact that the history uses must exist.
  void check_evidence() {
    sql_.each(
        "SELECT c.step || '.' || c.island || '.' || c.slot, e.key FROM evidence e "
        "JOIN candidate c ON c.id = e.candidate_id WHERE NOT EXISTS "
        "(SELECT 1 FROM attempt a WHERE a.key = e.key) AND NOT EXISTS "
        "(SELECT 1 FROM exchange x WHERE x.key = e.key)",
        [&](const Row& row) {
          problem("candidate {}: rests on fact {}, which is missing", row.text(0),
                  row.digest(1).short_hex());
        });
    sql_.each(
        "SELECT step_idx, position, duel_key FROM archive_event WHERE duel_key IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.key = duel_key)",
        [&](const Row& row) {
          problem("archive_event {}.{}: rests on duel {}, which is missing", row.integer(0),
                  row.integer(1), row.digest(2).short_hex());
        });
  }

  void check_verified() {
    sqlite::each_verified(sql_, [&](const VerifiedFigure& figure, const Digest& stored) {
      if (sqlite::content_hash(figure) != stored) {
        problem("verified {} {} {}: does not give its content hash", figure.candidate.text(),
                figure.baseline, figure.role);
      }
      if (!figure.fact_key.is_zero() &&
          !sql_.find("SELECT id FROM attempt WHERE key = ?", figure.fact_key)) {
        problem("verified {} {} {}: rests on fact {}, which is missing", figure.candidate.text(),
                figure.baseline, figure.role, figure.fact_key.short_hex());
      }
    });
  }

  Sql& sql_;
  VerifyReport& report_;
};

}  // namespace

Result<VerifyReport> verify_run(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    VerifyReport report;
    Verifier(sql, report).run();
    return report;
  });
}

}  // namespace ke
