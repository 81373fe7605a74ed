#include "archive/sqlite/sqlite_fact_log.hpp"

#include "archive/sqlite/fact_rows.hpp"

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

}  // namespace ke::sqlite
