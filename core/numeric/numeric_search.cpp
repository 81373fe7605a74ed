#include "core/numeric/numeric_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/result.hpp"

namespace ke {
namespace {

StreamKey key_of(const RunHeader& header, std::size_t emitter, std::int64_t iteration,
                 Purpose purpose) {
  return {static_cast<std::uint64_t>(header.seed), static_cast<std::int64_t>(emitter), iteration, 0,
          purpose};
}

template <typename T>
void append(std::string& bytes, std::span<const T> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

}  // namespace

NumericSearch::NumericSearch(NumericPlan plan, NumericParts parts)
    : plan_(std::move(plan)), parts_(parts) {
  KE_CHECK(plan_.problem && plan_.archive && !plan_.emitters.empty());
  for (const auto& emitter : plan_.emitters) batch_ += emitter->batch();
  solutions_.resize(batch_ * plan_.problem->dimensions());
  objectives_.resize(batch_);
  measures_.resize(batch_ * plan_.problem->measures().size());
  additions_.resize(batch_);
  result_additions_.resize(batch_);
}

std::string NumericSearch::reason_to_stop(std::int64_t iteration) const {
  if (iteration >= stored_) {  // a replay runs to its end: the stop follows the stored batches
    if (parts_.stop.stop_requested()) return "interrupted";
    if (parts_.safety.stop_requested()) return "safety";
  }
  if (plan_.target > 0 && elites().best() >= plan_.target) return "target";
  const auto next = (iteration + 1) * static_cast<std::int64_t>(batch_);
  const bool spent = plan_.evaluations > 0 && next > plan_.evaluations;
  return spent || iteration >= plan_.iterations ? "budget" : "";
}

void NumericSearch::step(std::int64_t iteration) {
  const std::size_t n = plan_.problem->dimensions();
  const std::size_t m = plan_.problem->measures().size();
  std::size_t first = 0;
  for (std::size_t e = 0; e < plan_.emitters.size(); ++e) {
    NormalSource random(key_of(plan_.header, e, iteration, Purpose::ask));
    const std::size_t count = plan_.emitters[e]->batch();
    plan_.emitters[e]->ask(*plan_.archive, random,
                           std::span(solutions_).subspan(first * n, count * n));
    first += count;
  }
  const Rows rows{solutions_, n};
  plan_.problem->evaluate(rows, objectives_, measures_);
  plan_.archive->offer(rows, objectives_, {measures_, m}, additions_);
  if (plan_.result) plan_.result->offer(rows, objectives_, {measures_, m}, result_additions_);
  first = 0;
  for (std::size_t e = 0; e < plan_.emitters.size(); ++e) {
    NormalSource random(key_of(plan_.header, e, iteration, Purpose::vary));
    const std::size_t count = plan_.emitters[e]->batch();
    plan_.emitters[e]->tell(*plan_.archive, random,
                            {std::span(solutions_).subspan(first * n, count * n), n},
                            {std::span(objectives_).subspan(first, count),
                             {std::span(measures_).subspan(first * m, count * m), m},
                             std::span(additions_).subspan(first, count)});
    first += count;
  }
}

// Objectives and measures depend on every coordinate, so the batch hash need not include the
// solutions; the stop record covers the elites' solutions.
NumericBatch NumericSearch::summary() const {
  std::string bytes;
  bytes.reserve(objectives_.size() * 40);
  append(bytes, std::span<const double>(objectives_));
  append(bytes, std::span<const double>(measures_));
  for (const NumericAddition& addition : additions_) {
    const std::uint32_t words[2] = {addition.cell, static_cast<std::uint32_t>(addition.status)};
    append(bytes, std::span<const std::uint32_t>(words));
  }
  NumericBatch batch;
  batch.digest = sha256(bytes);
  batch.solutions = static_cast<std::int64_t>(batch_);
  batch.filled = static_cast<std::int64_t>(elites().filled());
  batch.qd_score = elites().qd_score();
  batch.best = elites().best();
  batch.clipped = elites().clipped();
  return batch;
}

Result<void> NumericSearch::commit(std::int64_t iteration) {
  StepRecord record;
  record.index = iteration;
  record.step = iteration;
  record.numeric = summary();
  hash_ = record.chained(hash_);
  record.history_hash = hash_;
  status_.replayed = iteration < stored_;
  if (status_.replayed) {
    KE_TRY(const auto stored, parts_.history.hash_at(iteration));
    if (!stored || *stored != hash_) {
      return Error{Failure::store,
                   fmt::format("batch {} computed again differs from the stored history; the run "
                               "was made by another version",
                               iteration)};
    }
  } else {
    KE_TRY_VOID(parts_.history.commit(record));
  }
  status_.steps = iteration + 1;
  status_.proposals += record.numeric->solutions;
  status_.evaluations = status_.proposals;
  status_.best_objective = record.numeric->best;
  status_.qd_score = record.numeric->qd_score;
  status_.coverage = static_cast<double>(elites().filled()) / static_cast<double>(elites().cells());
  parts_.observer.on_commit(record, status_);
  return {};
}

Result<StopRecord> NumericSearch::run() {
  KE_TRY_VOID(parts_.history.begin(plan_.header));
  KE_TRY(stored_, parts_.history.committed_steps());
  hash_ = plan_.header.first_hash();
  parts_.observer.on_phase("searching");
  std::int64_t iteration = 0;
  std::string reason = reason_to_stop(iteration);
  for (; reason.empty(); reason = reason_to_stop(iteration)) {
    step(iteration);
    KE_TRY_VOID(commit(iteration++));
  }
  StopRecord stop;
  stop.reason = std::move(reason);
  stop.proposals = status_.proposals;
  stop.evaluations = status_.evaluations;
  stop.numeric_elites = elites().digest();
  stop.history_hash = stop.chained(hash_);
  return stop;
}

}  // namespace ke
