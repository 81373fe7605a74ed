#pragma once
// Facts in two places: the file of this host, and a log that other hosts reach.

#include "core/fact_log.hpp"

namespace ke {

/// Copies a fact that only the shared log has into the local one when it is first asked for, so
/// that a run whose file is gone gets it back.
class MirroredFactLog final : public FactLog {
 public:
  /// Both must outlive this object. `shared` keeps jobs whole (find_job).
  MirroredFactLog(FactLog& local, FactLog& shared) : local_(local), shared_(shared) {}
  /// To `shared` first: what is in the file alone, a coordinator elsewhere would measure again.
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& place) const override {
    return local_.find_exchange_at(place);
  }
  Result<Digest> record_hash() const override { return local_.record_hash(); }

 private:
  FactLog& local_;
  FactLog& shared_;
};

}  // namespace ke
