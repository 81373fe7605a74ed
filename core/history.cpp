#include "core/history.hpp"

namespace ke {
namespace {

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
