#include "archive/sqlite/sqlite_history.hpp"

#include "archive/sqlite/fact_rows.hpp"
#include "archive/sqlite/step_rows.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

Result<bool> SqliteFactLog::may_hold(const Digest& key) const {
  if (!keys_) {
    KE_TRY(keys_, file_.read([](Sql& sql) { return read_fact_keys(sql); }));
  }
  return keys_->contains(key);
}

Result<void> SqliteFactLog::append(const Job& job, const Fact& fact) {
  KE_TRY(const bool perhaps_known, may_hold(fact.key));
  keys_->insert(fact.key);
  return file_.write_soon([&](Sql& sql) {
    if (!perhaps_known || !holds_fact(sql, fact.key)) put_fact(sql, file_.stamp(), job, fact);
  });
}

Result<void> SqliteFactLog::append(const Exchange& exchange) {
  return file_.write([&](Sql& sql) { put_exchange(sql, file_.stamp(), exchange); });
}

Result<std::optional<Fact>> SqliteFactLog::find(const Digest& key) const {
  KE_TRY(const bool perhaps_known, may_hold(key));
  if (!perhaps_known) return std::optional<Fact>();
  return file_.read([&](Sql& sql) { return read_fact(sql, key); });
}

Result<std::optional<Exchange>> SqliteFactLog::find_exchange(const Digest& key) const {
  return file_.read([&](Sql& sql) { return read_exchange(sql, key); });
}

Result<std::optional<Exchange>> SqliteFactLog::find_exchange_at(const ExchangePlace& place) const {
  return file_.read([&](Sql& sql) { return read_exchange_at(sql, place); });
}

Result<Digest> SqliteFactLog::record_hash() const {
  return file_.read([](Sql& sql) { return read_record_digests(sql).hash(); });
}

Result<void> SqliteHistory::begin(const RunHeader& header) {
  return file_.write([&](Sql& sql) {
    const auto stored = read_header(sql);
    if (!stored) return put_header(sql, header);
    if (auto same = check_same_run(*stored, header); !same) throw Refusal(std::move(same).error());
  });
}

Result<std::optional<Digest>> SqliteHistory::hash_at(std::int64_t index) const {
  return file_.read([&](Sql& sql) { return read_step_hash(sql, index); });
}

Result<std::int64_t> SqliteHistory::committed_steps() const {
  return file_.read([](Sql& sql) { return count_steps(sql); });
}

Result<void> SqliteHistory::commit(const StepRecord& record) {
  const bool first = !next_;
  if (first) {
    KE_TRY(next_, committed_steps());
  }
  // Checked before the transaction, which may hold earlier steps and would roll them back.
  Result<void> result = file_.read([&](Sql&) {
    if (auto next = check_next_step(*next_, record); !next) throw Refusal(std::move(next).error());
  });
  if (result) {
    result = file_.write_soon([&](Sql& sql) {
      if (first) delete_stop(sql);
      put_step(sql, file_.stamp(), record);
    });
  }
  next_ = result ? std::optional(record.index + 1) : std::nullopt;
  return result;
}

Result<void> SqliteHistory::finish(const StopRecord& stop) {
  next_.reset();
  return file_.write([&](Sql& sql) { put_stop(sql, stop); });
}

Result<std::optional<StopRecord>> SqliteHistory::stop() const {
  return file_.read([](Sql& sql) { return read_stop(sql); });
}

Result<void> SqliteHistory::add_verified(const VerifiedFigure& figure) {
  return file_.write([&](Sql& sql) { put_verified(sql, figure); });
}

}  // namespace ke::sqlite
