#pragma once
// Facts in a run file.

#include "archive/sqlite/store_file.hpp"
#include "core/fact_log.hpp"

namespace ke::sqlite {

class SqliteFactLog final : public FactLog {
 public:
  explicit SqliteFactLog(StoreFile& file) : file_(file) {}
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<Digest> record_hash() const override;

 private:
  StoreFile& file_;
};

}  // namespace ke::sqlite
