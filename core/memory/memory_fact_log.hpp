#pragma once
// Facts in memory: for tests, and for runs that are not stored.

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

}  // namespace ke
