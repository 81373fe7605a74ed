#pragma once
// Facts and exchanges of a run in PostgreSQL.

#include "archive/postgres/connection.hpp"
#include "core/fact_log.hpp"

namespace ke::postgres {

class PostgresFactLog final : public FactLog {
 public:
  /// `connection` must outlive this object.
  PostgresFactLog(Connection& connection, std::int64_t run) : connection_(connection), run_(run) {}
  Result<void> append(const Job& job, const Fact& fact) override;
  Result<void> append(const Exchange& exchange) override;
  Result<std::optional<Fact>> find(const Digest& key) const override;
  Result<std::optional<Exchange>> find_exchange(const Digest& key) const override;
  Result<Digest> record_hash() const override;
  Result<std::optional<Job>> find_job(const Digest& key) const override;

 private:
  Connection& connection_;
  std::int64_t run_;
};

}  // namespace ke::postgres
