#include "core/search/contest.hpp"

#include "core/feedback_record.hpp"
#include "core/search/role_figure.hpp"

namespace ke {

Result<std::optional<OfferResult>> Contest::offer(Archive& archive, std::string_view name,
                                                  const CandidatePtr& candidate, StepRecord& record,
                                                  std::vector<Digest>& facts,
                                                  Evaluation* learns) const {
  OfferResult added = archive.offer(candidate);
  ArchiveEvent event;
  event.archive = name;
  event.challenger = candidate->id;
  event.clipped = added.clipped;
  if (added.incumbent) event.incumbent = added.incumbent->id;
  if (added.status == Addition::duel_needed) {
    KE_TRY(const bool fought, fight(candidate, added.incumbent, event, facts, learns));
    if (!fought) return std::optional<OfferResult>();
    added = archive.offer(candidate, event.decision);
  }
  event.cell = added.cell;
  event.status = added.status;
  record.events.push_back(event);
  return std::optional<OfferResult>(added);
}

Result<std::optional<Fact>> Contest::validation_screen(const Candidate& candidate,
                                                       std::vector<Digest>& facts) const {
  std::optional<Fact> fact;
  for (std::int64_t look = 0; look < max_screen_looks; ++look) {
    const Job job = jobs_.screen(candidate.kernel, candidate.evaluation.build_hash, look,
                                 {std::string(validation_role)});
    KE_TRY(fact, dispatcher_.await(job, stop_));
    if (!fact) return fact;
    facts.push_back(job.key);
    if (!is_worth_asking_again(fact->verdict)) break;
  }
  return fact;
}

Result<bool> Contest::fight(const CandidatePtr& challenger, const CandidatePtr& incumbent,
                            ArchiveEvent& event, std::vector<Digest>& facts,
                            Evaluation* learns) const {
  event.decision = Decision::undecided;
  const Digest& build = challenger->evaluation.build_hash;
  if (build == incumbent->evaluation.build_hash) return true;  // the same binary
  const Job job =
      jobs_.duel(challenger->kernel, build, incumbent->kernel, incumbent->evaluation.build_hash, 0);
  KE_TRY(std::optional<Fact> fact, dispatcher_.await(job, stop_));
  if (!fact) return false;
  event.duel_key = job.key;
  facts.push_back(job.key);
  if (learns != nullptr) take_profile(*fact, learns->measures, learns->feedback);
  if (fact->verdict == Verdict::ok && fact->comparison) {
    event.decision = fact->comparison->decision;
    event.bounds = fact->comparison->ci;
  }
  return true;
}

}  // namespace ke
