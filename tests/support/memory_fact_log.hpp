#pragma once
// Facts in memory.

#include <map>

#include "core/fact_log.hpp"

namespace ke {

class MemoryFactLog final : public FactLog {
 public:
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<Digest> record_hash() const override;

 private:
  std::map<Digest, Fact> facts_;
  std::map<Digest, Exchange> exchanges_;
};

template <typename T>
std::optional<T> look_up(const std::map<Digest, T>& map, const Digest& key) {
  const auto found = map.find(key);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

inline Result<void> MemoryFactLog::append(const Job&, const Fact& fact) {
  facts_.emplace(fact.key, fact);
  return {};
}

inline Result<void> MemoryFactLog::append(const Exchange& exchange) {
  exchanges_.emplace(exchange.key, exchange);
  return {};
}

inline Result<std::optional<Fact>> MemoryFactLog::find(const Digest& key) const {
  return look_up(facts_, key);
}

inline Result<std::optional<Exchange>> MemoryFactLog::find_exchange(const Digest& key) const {
  return look_up(exchanges_, key);
}

inline Result<Digest> MemoryFactLog::record_hash() const {
  RecordDigests digests;
  for (const auto& [key, fact] : facts_) digests.facts.emplace(key, digest_of(fact));
  for (const auto& [key, exchange] : exchanges_) {
    digests.exchanges.emplace(key, digest_of(exchange));
  }
  return digests.hash();
}

}  // namespace ke
