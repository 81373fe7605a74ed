#pragma once
// History in memory: for tests, and for runs that are not stored.

#include <optional>
#include <vector>

#include "core/history.hpp"
#include "core/history_rules.hpp"

namespace ke {

class MemoryHistory final : public History {
 public:
  Result<void> begin(const RunHeader& header) override;
  Result<std::optional<Digest>> hash_at(std::int64_t index) const override;
  Result<std::int64_t> committed_steps() const override;
  Result<void> commit(const StepRecord& record) override;
  Result<void> finish(const StopRecord& stop) override;
  Result<std::optional<StopRecord>> stop() const override { return stop_; }
  Result<void> add_verified(const VerifiedFigure& figure) override;

  /// The committed steps, for tests.
  const std::vector<StepRecord>& steps() const { return steps_; }
  const std::vector<VerifiedFigure>& verified() const { return verified_; }

 private:
  std::optional<RunHeader> header_;
  std::vector<StepRecord> steps_;
  CommittedCandidates committed_;
  std::optional<StopRecord> stop_;
  std::vector<VerifiedFigure> verified_;
};

}  // namespace ke
