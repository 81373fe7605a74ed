#include "core/history.hpp"

#include <fmt/format.h>

namespace ke {
namespace {

Error mismatch(std::string_view what, const std::string& stored, const std::string& given) {
  return {Failure::store,
          fmt::format("this run was begun with {} {}, not {}", what, stored, given)};
}

void encode_candidate(Encoder& out, const Candidate& candidate) {
  out(candidate.id)(candidate.operator_name)(candidate.ancestors)(candidate.outcome);
  out(candidate.no_child_reason)(candidate.genome_hash)(candidate.duplicate_of);
  out(candidate.duplicate_kind);
  const Evaluation& evaluation = candidate.evaluation;
  out(evaluation.verdict)(evaluation.reason)(evaluation.build_hash)(evaluation.measured);
}

void encode_event(Encoder& out, const ArchiveEvent& event) {
  out(event.archive)(event.challenger)(event.cell)(event.incumbent)(event.status)(event.decision);
  out(event.duel_key)(event.clipped);
}

void encode_batch(Encoder& out, const NumericBatch& batch) {
  out("numeric")(batch.digest)(batch.solutions)(batch.filled)(batch.qd_score)(batch.best);
  out(batch.clipped);
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

Digest RunHeader::first_hash() const {
  Encoder out;
  out("history/1")(format_version)(config_id)(task_hash)(seed);
  return out.digest();
}

Digest StepRecord::chained(const Digest& previous) const {
  Encoder out;
  out(previous)(index)(step)(island)(candidates.size());
  for (const auto& candidate : candidates) encode_candidate(out, *candidate);
  out(events.size());
  for (const auto& event : events) encode_event(out, event);
  out(migrations.size());
  for (const auto& m : migrations) out(m.from)(m.to)(m.migrant)(m.chosen_at);
  if (numeric) encode_batch(out, *numeric);
  return out.digest();
}

Digest StopRecord::chained(const Digest& previous) const {
  Encoder out;
  out(previous)("stop")(reason)(proposals)(evaluations)(champion);
  if (!numeric_elites.is_zero()) out(numeric_elites);
  if (!device_champions.empty()) out(device_champions);
  return out.digest();
}

}  // namespace ke
