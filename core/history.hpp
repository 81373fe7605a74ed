#pragma once
// History: the search's steps, committed in logical order, one transaction per step.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/archive.hpp"
#include "core/candidate.hpp"
#include "core/hash.hpp"
#include "core/result.hpp"

namespace ke {

/// The inputs of a run, fixed before its first step. history_hash starts from them.
struct RunHeader {
  std::int64_t format_version = 1;
  std::string config_text;  ///< canonical: sorted `path = value` lines, defaults included
  Digest config_id;         ///< SHA-256 of config_text
  std::string task;
  Digest task_hash;
  std::int64_t seed = 0;
  /// First value of the hash chain.
  Digest first_hash() const;
};

/// One change or refusal of an elite.
struct ArchiveEvent {
  std::string archive;  ///< "island" or "passive"
  LogicalId challenger;
  std::size_t cell = 0;
  std::optional<LogicalId> incumbent;
  Addition status = Addition::rejected;
  Decision decision = Decision::none;
  Digest duel_key;  ///< zero when no duel was fought
  Interval bounds;  ///< interval of the challenger's speedup over the incumbent; not hashed
  bool clipped = false;
};

/// A candidate that migrated from one island to another.
struct MigrationEvent {
  std::int64_t from = 0;
  std::int64_t to = 0;
  LogicalId migrant;
  std::int64_t chosen_at = 0;  ///< step of the source island whose archive supplied it
};

/// One batch of a numeric search (core/numeric). It has too many solutions for a row each, so its
/// rows are hashed and only totals are kept.
struct NumericBatch {
  Digest digest;  ///< over objective, measures, cell and status of every solution, in order
  std::int64_t solutions = 0;
  std::int64_t filled = 0;   ///< filled cells of the result archive after the batch
  double qd_score = 0;       ///< sum of the result archive's objectives
  double best = 0;           ///< highest objective of the result archive
  std::int64_t clipped = 0;  ///< number of measures outside their axes so far
};

/// All changes of one commit.
struct StepRecord {
  std::int64_t index = 0;  ///< 0, 1, 2, ... in commit order
  std::int64_t step = 0;
  std::int64_t island = 0;
  std::vector<CandidatePtr> candidates;
  std::vector<std::vector<Digest>> fact_keys;  ///< per candidate: its facts, build first
  std::vector<ArchiveEvent> events;
  std::vector<MigrationEvent> migrations;
  std::optional<NumericBatch> numeric;
  Digest history_hash;  ///< after this step

  /// The next hash: SHA-256(previous, outcomes, verdicts, cells, elite changes, migrations).
  Digest chained(const Digest& previous) const;
};

/// Why the run ended, and its totals.
struct StopRecord {
  std::string
      reason;  ///< budget | target | stagnation | exhausted | safety | interrupted | waiting
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::optional<LogicalId> champion;
  Digest history_hash;
  Digest numeric_elites = {};  ///< digest of a numeric search's result archive; zero for other runs
  /// One champion per device in runs with several devices; `champion` is the first device's. Empty
  /// = one device.
  std::vector<std::optional<LogicalId>> device_champions = {};
  KE_CODED(reason, proposals, evaluations, champion, history_hash, numeric_elites, device_champions)

  Digest chained(const Digest& previous) const;
};

/// A verified speedup: one candidate against one baseline on the workloads of one role.
struct VerifiedFigure {
  LogicalId candidate;
  std::string baseline;
  std::string role;
  double speedup = 0;
  Interval ci;
  Digest fact_key;
  std::string note;  ///< e.g. below_floor, or why the figure is missing
};

/// Storage of the history. One writer. `commit` is durable on return.
class History {
 public:
  virtual ~History() = default;
  /// Starts a new run, or checks that the stored header equals `header`.
  virtual Result<void> begin(const RunHeader& header) = 0;
  /// Hash after committed step `index`, or nothing beyond the end.
  virtual Result<std::optional<Digest>> hash_at(std::int64_t index) const = 0;
  virtual Result<std::int64_t> committed_steps() const = 0;
  virtual Result<void> commit(const StepRecord& record) = 0;
  virtual Result<void> finish(const StopRecord& stop) = 0;
  virtual Result<std::optional<StopRecord>> stop() const = 0;
  virtual Result<void> add_verified(const VerifiedFigure& figure) = 0;
};

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
