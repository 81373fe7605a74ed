#include "core/history_rules.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

Error mismatch(std::string_view what, const std::string& stored, const std::string& given) {
  return {Failure::store,
          fmt::format("this run was begun with {} {}, not {}", what, stored, given)};
}

}  // namespace

Result<void> check_same_run(const RunHeader& stored, const RunHeader& given) {
  if (stored.format_version != given.format_version) {
    return mismatch("format version", fmt::format("{}", stored.format_version),
                    fmt::format("{}", given.format_version));
  }
  if (stored.task != given.task) return mismatch("task", stored.task, given.task);
  if (stored.task_hash != given.task_hash) {
    return mismatch("task content", stored.task_hash.short_hex(), given.task_hash.short_hex());
  }
  if (stored.seed != given.seed) {
    return mismatch("seed", fmt::format("{}", stored.seed), fmt::format("{}", given.seed));
  }
  if (stored.config_id != given.config_id || stored.config_text != given.config_text) {
    return mismatch("configuration", stored.config_id.short_hex(), given.config_id.short_hex());
  }
  return {};
}

Result<void> check_next_step(std::int64_t committed, const StepRecord& record) {
  if (record.index == committed) return {};
  return Error{Failure::store,
               fmt::format("step {} committed out of order: {} is next", record.index, committed)};
}

Result<void> CommittedCandidates::known(const LogicalId& id) const {
  if (ids_.contains(id)) return {};
  return Error{Failure::store, "candidate " + id.text() + " was never committed"};
}

Result<void> CommittedCandidates::add(const StepRecord& record) {
  std::set<LogicalId> added;
  auto result = add_each(record, added);
  if (result) result = check_events(record);
  if (!result) {
    for (const LogicalId& id : added) ids_.erase(id);
  }
  return result;
}

Result<void> CommittedCandidates::add_each(const StepRecord& record, std::set<LogicalId>& added) {
  for (const auto& candidate : record.candidates) {
    if (candidate->duplicate_of) KE_TRY_VOID(known(*candidate->duplicate_of));
    if (!ids_.insert(candidate->id).second) {
      return Error{Failure::store, "candidate " + candidate->id.text() + " was committed before"};
    }
    added.insert(candidate->id);
    for (const auto& ancestor : candidate->ancestors) KE_TRY_VOID(known(ancestor.id));
  }
  return {};
}

Result<void> CommittedCandidates::check_events(const StepRecord& record) const {
  for (const auto& event : record.events) {
    KE_TRY_VOID(known(event.challenger));
    if (event.incumbent) KE_TRY_VOID(known(*event.incumbent));
  }
  for (const auto& migration : record.migrations) KE_TRY_VOID(known(migration.migrant));
  return {};
}

}  // namespace ke
