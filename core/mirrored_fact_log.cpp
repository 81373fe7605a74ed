#include "core/mirrored_fact_log.hpp"

namespace ke {

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

}  // namespace ke
