#include "archive/recorded_facts.hpp"

#include "archive/sqlite/device_rows.hpp"
#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/kernel_rows.hpp"
#include "archive/sqlite/store_file.hpp"

namespace ke {
namespace {

using sqlite::Row;
using sqlite::Sql;

class RecordedFacts final : public FactLog {
 public:
  explicit RecordedFacts(std::shared_ptr<const RunReader> reader) : reader_(std::move(reader)) {}

  Result<void> append(const Job&, const Fact&) override { return {}; }
  Result<void> append(const Exchange&) override { return {}; }
  Result<std::optional<Fact>> find(const Digest& key) const override {
    return reader_->file().read([&](Sql& sql) { return sqlite::read_fact(sql, key); });
  }
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override {
    return reader_->file().read([&](Sql& sql) { return sqlite::read_exchange(sql, key); });
  }
  Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& place) const override {
    return reader_->file().read([&](Sql& sql) { return sqlite::read_exchange_at(sql, place); });
  }
  Result<Digest> record_hash() const override { return reader_->record_hash(); }

 private:
  std::shared_ptr<const RunReader> reader_;
};

JobKind kind_of(const std::string& purpose) {
  for (const JobKind kind : {JobKind::build, JobKind::screen, JobKind::duel}) {
    if (to_string(kind) == purpose) return kind;
  }
  return JobKind::verify;
}

Job job_of(Sql& sql, const Row& row) {
  Job job;
  job.key = row.digest(0);
  job.kind = kind_of(row.text(1));
  job.kernel = sqlite::read_genome(sql, row.integer(2));
  if (!row.null(3)) job.opponent = Opponent{row.text(3), std::nullopt};
  if (!row.null(4)) job.opponent->kernel = sqlite::read_genome(sql, row.integer(4));
  job.look = row.integer(5);
  return job;
}

}  // namespace

std::shared_ptr<FactLog> recorded_facts(std::shared_ptr<const RunReader> reader) {
  return std::make_shared<RecordedFacts>(std::move(reader));
}

Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader,
                                                 const std::vector<Digest>& keys) {
  const RecordedFacts facts(std::move(reader));
  std::vector<Exchange> exchanges;
  for (const Digest& key : keys) {
    KE_TRY(auto exchange, facts.find_exchange(key));
    if (exchange) exchanges.push_back(*std::move(exchange));
  }
  return exchanges;
}

Result<std::vector<Exchange>> recorded_exchanges(std::shared_ptr<const RunReader> reader) {
  KE_TRY(const auto keys, reader->exchange_keys());
  return recorded_exchanges(std::move(reader), keys);
}

Result<std::vector<Job>> recorded_jobs(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    return sql.list(
        "SELECT key, purpose, genome_id, opponent, opponent_genome_id, look FROM attempt "
        "ORDER BY key",
        [&](const Row& row) { return job_of(sql, row); });
  });
}

Result<std::vector<Passage>> recorded_lessons(const RunReader& reader) {
  return reader.file().read([](Sql& sql) {
    return sql.list("SELECT name, title, text, step FROM lesson ORDER BY name", [](const Row& row) {
      return Passage{row.text(0), row.text(1), row.text(2), row.integer(3)};
    });
  });
}

Result<std::optional<EvaluatorInfo>> recorded_evaluator(const RunReader& reader) {
  return reader.file().read(sqlite::read_evaluator);
}

}  // namespace ke
