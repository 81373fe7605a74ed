#pragma once
// Stores and loads facts and exchanges, bit for bit.

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_set>

#include "archive/sqlite/sql.hpp"
#include "archive/sqlite/store_file.hpp"
#include "core/evaluation.hpp"
#include "core/fact_log.hpp"
#include "core/job.hpp"
#include "core/llm_client.hpp"

namespace ke::sqlite {

/// By step: the number of binaries, other than the candidates' own, judged in a screen. Candidates'
/// evaluations do not include them; the budget counts both. Empty if no model had tools.
std::map<std::int64_t, std::int64_t> read_timed_trials(Sql& sql);

std::unordered_set<Digest> read_fact_keys(Sql& sql);
bool holds_fact(Sql& sql, const Digest& key);
/// Stores a fact whose key must be new.
void put_fact(Sql& sql, const Stamp& stamp, const Job& job, const Fact& fact);
std::optional<Fact> read_fact(Sql& sql, const Digest& key);

bool put_exchange(Sql& sql, const Stamp& stamp, const Exchange& exchange);
std::optional<Exchange> read_exchange(Sql& sql, const Digest& key);
/// The exchange of a committed candidate, counted from 0 in the order of its requests.
std::optional<Exchange> read_exchange_at(Sql& sql, const ExchangePlace& place);

/// Key and stored digest of every fact and exchange.
RecordDigests read_record_digests(Sql& sql);

}  // namespace ke::sqlite
