#pragma once
// History and facts in a run file.

#include <unordered_set>

#include "archive/sqlite/store_file.hpp"
#include "core/fact_log.hpp"
#include "core/history.hpp"

namespace ke::sqlite {

class SqliteFactLog final : public FactLog {
 public:
  explicit SqliteFactLog(StoreFile& file) : file_(file) {}
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange_at(const ExchangePlace& place) const override;
  Result<Digest> record_hash() const override;

 private:
  /// False if the file certainly lacks the fact. Most lookups are of new facts and need no query.
  Result<bool> may_hold(const Digest& key) const;

  StoreFile& file_;
  mutable std::optional<std::unordered_set<Digest>> keys_;  ///< a superset of the keys in the file
};

class SqliteHistory final : public History {
 public:
  explicit SqliteHistory(StoreFile& file) : file_(file) {}
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override;
  Result<std::int64_t> committed_steps() const override;
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override;
  Result<void> add_verified(const VerifiedFigure& figure) override;

 private:
  StoreFile& file_;
  std::optional<std::int64_t> next_;  ///< index of the next step; known while the run continues
};

}  // namespace ke::sqlite
