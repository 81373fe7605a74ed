#pragma once
// Rules that every implementation of History applies, with the same words.

#include <set>

#include "core/history.hpp"

namespace ke {

/// Whether a run that was begun with `stored` may go on with `given`.
Result<void> check_same_run(const RunHeader& stored, const RunHeader& given);

/// Whether `record` follows on `committed` steps.
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
