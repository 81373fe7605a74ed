#include "core/search/slot_trials.hpp"

namespace ke {

std::int64_t SlotTrials::spent(const Digest& own) const {
  return static_cast<std::int64_t>(timed_.size() - timed_.count(own));
}

Result<void> SlotTrials::run(HashedKernel kernel, TrialKind kind, Then then) {
  Job job = jobs_.build(kernel.kernel, kernel.genome_hash);
  Open open{std::move(kernel.kernel), kind, {}, std::move(then)};
  return submit(std::move(job), [this, open = std::move(open)](const Fact& fact) mutable {
    open.facts.build = fact;
    return on_build(std::move(open));
  });
}

Result<void> SlotTrials::submit(Job job, Dispatcher::OnFact then) {
  fact_keys_.push_back(job.key);
  return dispatcher_.submit(std::move(job), std::move(then));
}

Result<void> SlotTrials::on_build(Open open) {
  const bool built = open.facts.build.verdict == Verdict::ok;
  const bool nothing_to_ask =
      open.kind == TrialKind::build || (open.kind == TrialKind::profile && !jobs_.sanitizes());
  if (!built || nothing_to_ask) return open.then(open.facts);
  return judge(std::move(open));
}

Job SlotTrials::job_of(const Open& open) const {
  const Digest& build = open.facts.build.build_hash;
  switch (open.kind) {
    case TrialKind::time: return jobs_.screen(open.kernel, build, open.look);
    case TrialKind::profile: return jobs_.sanitize(open.kernel, build);
    default: return jobs_.check(open.kernel, build);
  }
}

Result<void> SlotTrials::judge(Open open) {
  Job job = job_of(open);
  return submit(std::move(job), [this, open = std::move(open)](const Fact& fact) mutable {
    open.facts.judged = fact;
    return on_judged(std::move(open));
  });
}

Result<void> SlotTrials::on_judged(Open open) {
  const Verdict verdict = open.facts.judged->verdict;
  const bool timed = open.kind == TrialKind::time;
  if (timed && is_worth_asking_again(verdict) && open.look + 1 < max_screen_looks) {
    ++open.look;
    return judge(std::move(open));
  }
  if (timed && is_judged(verdict)) timed_.insert(open.facts.build.build_hash);
  return open.then(open.facts);
}

}  // namespace ke
