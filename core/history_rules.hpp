#pragma once
// Checks shared by all implementations of History, with the same messages.

#include <set>

#include "core/history.hpp"

namespace ke {

/// Checks whether a run that began with `stored` may continue with `given`.
Result<void> check_same_run(const RunHeader& stored, const RunHeader& given);

/// Checks whether `record` is the next one after `committed` steps.
Result<void> check_next_step(std::int64_t committed, const StepRecord& record);

/// Ids of all candidates that a run committed. Whatever refers to a candidate must find it here.
class CommittedCandidates {
 public:
  void insert(const LogicalId& id) { ids_.insert(id); }
  Result<void> known(const LogicalId& id) const;
  /// Adds those of a step. Refuses one that comes a second time or refers to unknown ones, and
  /// stays as it was then.
  Result<void> add(const StepRecord& record);

 private:
  Result<void> add_each(const StepRecord& record, std::set<LogicalId>& added);
  Result<void> check_events(const StepRecord& record) const;

  std::set<LogicalId> ids_;
};

}  // namespace ke
