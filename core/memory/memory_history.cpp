#include "core/memory/memory_history.hpp"

#include <algorithm>

namespace ke {

Result<void> MemoryHistory::begin(const RunHeader& header) {
  if (header_) return check_same_run(*header_, header);
  header_ = header;
  return {};
}

Result<std::optional<Digest>> MemoryHistory::hash_at(std::int64_t index) const {
  if (index < 0 || index >= static_cast<std::int64_t>(steps_.size())) {
    return std::optional<Digest>{};
  }
  return std::optional{steps_[static_cast<std::size_t>(index)].history_hash};
}

Result<std::int64_t> MemoryHistory::committed_steps() const {
  return static_cast<std::int64_t>(steps_.size());
}

Result<void> MemoryHistory::commit(const StepRecord& record) {
  KE_TRY_VOID(check_next_step(static_cast<std::int64_t>(steps_.size()), record));
  KE_TRY_VOID(committed_.add(record));
  steps_.push_back(record);
  stop_.reset();
  return {};
}

Result<void> MemoryHistory::finish(const StopRecord& stop) {
  if (stop.champion) KE_TRY_VOID(committed_.known(*stop.champion));
  stop_ = stop;
  return {};
}

Result<void> MemoryHistory::add_verified(const VerifiedFigure& figure) {
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
