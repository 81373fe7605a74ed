#pragma once
// History of a run in PostgreSQL: the hash chain, and a line for each candidate.

#include "archive/postgres/connection.hpp"
#include "core/history.hpp"

namespace ke::postgres {

/// The run file holds the candidates, which can also be computed again from the facts.
class PostgresHistory final : public History {
 public:
  /// `connection` must outlive this object.
  PostgresHistory(Connection& connection, std::int64_t run) : connection_(connection), run_(run) {}
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override;
  Result<std::int64_t> committed_steps() const override;
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override;
  Result<void> add_verified(const VerifiedFigure& figure) override;

 private:
  Result<void> load();
  void put_step(Sql& sql, const StepRecord& record) const;

  Connection& connection_;
  std::int64_t run_;
  bool loaded_ = false;
  std::int64_t next_ = 0;          ///< index of the next step, once loaded
  CommittedCandidates committed_;  ///< once loaded
};

}  // namespace ke::postgres
