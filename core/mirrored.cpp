#include "core/mirrored.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ke {
namespace {

/// Commits to a history that had `steps` of them when the run began here.
Result<void> commit_or_compare(History& history, std::int64_t steps, const StepRecord& record) {
  if (record.index >= steps) return history.commit(record);
  KE_TRY(const std::optional<Digest> stored, history.hash_at(record.index));
  if (stored == record.history_hash) return {};
  return Error{
      Failure::store,
      fmt::format("step {} of island {} (commit {}) is another one in the database: it was "
                  "made by another version or from other measurements",
                  record.step, record.island, record.index)};
}

}  // namespace

Result<void> MirroredFactLog::append(const Job& job, const Fact& fact) {
  KE_TRY_VOID(shared_.append(job, fact));
  return local_.append(job, fact);
}

Result<void> MirroredFactLog::append(const Exchange& exchange) {
  KE_TRY_VOID(shared_.append(exchange));
  return local_.append(exchange);
}

Result<std::optional<Fact>> MirroredFactLog::find(const Digest& key) const {
  KE_TRY(std::optional<Fact> fact, local_.find(key));
  if (fact) return fact;
  KE_TRY(fact, shared_.find(key));
  if (!fact) return fact;
  KE_TRY(const std::optional<Job> job, shared_.find_job(key));
  if (job) KE_TRY_VOID(local_.append(*job, *fact));
  return fact;
}

Result<std::optional<Exchange>> MirroredFactLog::find_exchange(const Digest& key) const {
  KE_TRY(std::optional<Exchange> exchange, local_.find_exchange(key));
  if (exchange) return exchange;
  KE_TRY(exchange, shared_.find_exchange(key));
  if (exchange) KE_TRY_VOID(local_.append(*exchange));
  return exchange;
}

Result<void> MirroredHistory::begin(const RunHeader& header) {
  KE_TRY_VOID(shared_.begin(header));
  KE_TRY_VOID(local_.begin(header));
  KE_TRY(local_steps_, local_.committed_steps());
  KE_TRY(shared_steps_, shared_.committed_steps());
  return {};
}

Result<std::int64_t> MirroredHistory::committed_steps() const {
  KE_TRY(const std::int64_t local, local_.committed_steps());
  KE_TRY(const std::int64_t shared, shared_.committed_steps());
  return std::min(local, shared);
}

Result<void> MirroredHistory::commit(const StepRecord& record) {
  KE_TRY_VOID(commit_or_compare(shared_, shared_steps_, record));
  return commit_or_compare(local_, local_steps_, record);
}

Result<void> MirroredHistory::finish(const StopRecord& stop) {
  KE_TRY_VOID(shared_.finish(stop));
  return local_.finish(stop);
}

Result<void> MirroredHistory::add_verified(const VerifiedFigure& figure) {
  KE_TRY_VOID(shared_.add_verified(figure));
  return local_.add_verified(figure);
}

}  // namespace ke
