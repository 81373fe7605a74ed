#include "core/memory/memory_fact_log.hpp"

#include "core/record_hash.hpp"

namespace ke {
namespace {

template <typename T>
std::optional<T> look_up(const std::map<Digest, T>& map, const Digest& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Result<void> MemoryFactLog::append(const Job&, const Fact& fact) {
  facts_.emplace(fact.key, fact);
  return {};
}

Result<void> MemoryFactLog::append(const Exchange& exchange) {
  exchanges_.emplace(exchange.key, exchange);
  return {};
}

Result<std::optional<Fact>> MemoryFactLog::find(const Digest& key) const {
  return look_up(facts_, key);
}

Result<std::optional<Exchange>> MemoryFactLog::find_exchange(const Digest& key) const {
  return look_up(exchanges_, key);
}

Result<Digest> MemoryFactLog::record_hash() const {
  RecordDigests digests;
  for (const auto& [key, fact] : facts_) digests.facts.emplace(key, digest_of(fact));
  for (const auto& [key, exchange] : exchanges_) {
    digests.exchanges.emplace(key, digest_of(exchange));
  }
  return digests.hash();
}

}  // namespace ke
