#include "core/memory/memory_history.hpp"

#include <algorithm>

#include "core/history_rules.hpp"

namespace ke {
namespace {

Result<void> known(const std::set<LogicalId>& committed, const LogicalId& id) {
  if (committed.count(id) > 0) return {};
  return Error{Failure::store, "candidate " + id.text() + " was never committed"};
}

// Adds the candidates of `record` to `committed`; refuses links to unknown ones and doubles.
Result<void> add_candidates(const StepRecord& record, std::set<LogicalId>& committed) {
  for (const auto& candidate : record.candidates) {
    if (candidate->duplicate_of) KE_TRY_VOID(known(committed, *candidate->duplicate_of));
    if (!committed.insert(candidate->id).second) {
      return Error{Failure::store, "candidate " + candidate->id.text() + " was committed before"};
    }
    for (const auto& ancestor : candidate->ancestors) KE_TRY_VOID(known(committed, ancestor.id));
  }
  return {};
}

Result<void> check_events(const StepRecord& record, const std::set<LogicalId>& committed) {
  for (const auto& event : record.events) {
    KE_TRY_VOID(known(committed, event.challenger));
    if (event.incumbent) KE_TRY_VOID(known(committed, *event.incumbent));
  }
  for (const auto& migration : record.migrations) KE_TRY_VOID(known(committed, migration.migrant));
  return {};
}

}  // namespace

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
  auto undo = [&](Error error) -> Result<void> {
    committed_.clear();
    for (const auto& step : steps_) {
      for (const auto& candidate : step.candidates) committed_.insert(candidate->id);
    }
    return error;
  };
  if (auto result = add_candidates(record, committed_); !result) return undo(result.error());
  if (auto result = check_events(record, committed_); !result) return undo(result.error());
  steps_.push_back(record);
  stop_.reset();
  return {};
}

Result<void> MemoryHistory::finish(const StopRecord& stop) {
  if (stop.champion) KE_TRY_VOID(known(committed_, *stop.champion));
  stop_ = stop;
  return {};
}

Result<void> MemoryHistory::add_verified(const VerifiedFigure& figure) {
  KE_TRY_VOID(known(committed_, figure.candidate));
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
