#pragma once
// History in memory.

#include <algorithm>
#include <optional>
#include <vector>

#include "core/history.hpp"

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

inline Result<void> MemoryHistory::begin(const RunHeader& header) {
  if (header_) return check_same_run(*header_, header);
  header_ = header;
  return {};
}

inline Result<std::optional<Digest>> MemoryHistory::hash_at(std::int64_t index) const {
  if (index < 0 || index >= static_cast<std::int64_t>(steps_.size())) {
    return std::optional<Digest>{};
  }
  return std::optional{steps_[static_cast<std::size_t>(index)].history_hash};
}

inline Result<std::int64_t> MemoryHistory::committed_steps() const {
  return static_cast<std::int64_t>(steps_.size());
}

inline Result<void> MemoryHistory::commit(const StepRecord& record) {
  KE_TRY_VOID(check_next_step(static_cast<std::int64_t>(steps_.size()), record));
  KE_TRY_VOID(committed_.add(record));
  steps_.push_back(record);
  stop_.reset();
  return {};
}

inline Result<void> MemoryHistory::finish(const StopRecord& stop) {
  if (stop.champion) KE_TRY_VOID(committed_.known(*stop.champion));
  stop_ = stop;
  return {};
}

inline Result<void> MemoryHistory::add_verified(const VerifiedFigure& figure) {
  KE_TRY_VOID(committed_.known(figure.candidate));
  const auto same = std::find_if(verified_.begin(), verified_.end(), [&](const auto& old) {
    return old.candidate == figure.candidate && old.baseline == figure.baseline &&
           old.role == figure.role;
  });
  if (same == verified_.end()) {
    verified_.push_back(figure);
  } else {
    *same = figure;
  }
  return {};
}

}  // namespace ke
