#include "core/search/final_verification.hpp"

#include <algorithm>

#include "core/search/flag_search.hpp"
#include "core/search/role_figure.hpp"
#include "core/validation.hpp"

namespace ke {
namespace {

const std::vector<std::string> all_roles = {"bench", "validation", "holdout"};
constexpr std::int64_t max_verify_looks =
    2;  ///< an unreliable or lost verification is repeated once

/// A kernel that loses at validation is champion only if every elite does.
void drop_specialists(std::vector<CandidatePtr>& elites) {
  const auto loses = [](const CandidatePtr& elite) { return is_specialist(elite->evaluation); };
  if (std::ranges::all_of(elites, loses)) return;
  std::erase_if(elites, loses);
}

}  // namespace

std::vector<CandidatePtr> FinalVerification::ranked(std::size_t most) const {
  std::vector<CandidatePtr> list;
  std::set<Digest> builds;
  for (const IslandPlan& island : parts_.plan.islands) {
    if (island.device != parts_.device) continue;
    for (const Elite& elite : island.archive->elites()) {
      if (builds.insert(elite.candidate->evaluation.build_hash).second)
        list.push_back(elite.candidate);
    }
  }
  drop_specialists(list);
  std::stable_sort(list.begin(), list.end(), [](const CandidatePtr& a, const CandidatePtr& b) {
    if (a->evaluation.objective != b->evaluation.objective) {
      return a->evaluation.objective > b->evaluation.objective;
    }
    return a->id < b->id;
  });
  if (list.size() > most) list.resize(most);
  return list;
}

Result<bool> FinalVerification::run() {
  const auto cells = static_cast<std::size_t>(std::max<std::int64_t>(1, parts_.plan.verify.cells));
  const std::vector<CandidatePtr> best = ranked(cells);
  if (best.empty()) return true;
  parts_.observer.on_phase("finals");
  KE_TRY(const bool chosen, playoffs(best));
  if (!chosen) return false;
  // Exact figures need no second measurement, but baselines may still have to be measured.
  const bool nothing_to_ask = !parts_.info.noisy && parts_.info.baselines.empty();
  if (parts_.plan.verify.cells == 0 || nothing_to_ask) return true;
  const auto spares = static_cast<std::size_t>(parts_.plan.verify.spares);
  KE_TRY(const bool examined, sanitize(ranked(cells + spares)));
  if (!examined) return false;
  if (champion_ == nullptr) return true;
  KE_TRY(const bool tuned, choose_naive_flags());
  if (!tuned) return false;
  KE_TRY(const bool elected, drop_refused());
  if (!elected) return false;
  for (const std::string& name : parts_.info.baselines) {
    KE_TRY(const bool done, verify(champion_, name, {name, std::nullopt}, {}, all_roles));
    if (!done) return false;
  }
  if (naive_best_) {
    KE_TRY(const bool done,
           verify(champion_, "naive_best_flags", {"", naive_best_}, naive_best_build_, all_roles));
    if (!done) return false;
  }
  for (const CandidatePtr& elite : best) {
    if (elite == champion_) continue;
    KE_TRY(const bool done, verify(elite, "anchor", {"anchor", std::nullopt}, {}, {"bench"}));
    if (!done) return false;
  }
  return true;
}

Result<bool> FinalVerification::playoffs(const std::vector<CandidatePtr>& ranked) {
  champion_ = ranked.front();
  if (!parts_.info.noisy) return true;
  for (std::size_t i = 1; i < ranked.size(); ++i) {
    const CandidatePtr& rival = ranked[i];
    const Job job = parts_.jobs.duel(rival->kernel, rival->evaluation.build_hash, champion_->kernel,
                                     champion_->evaluation.build_hash, 0);
    KE_TRY(const std::optional<Fact> fact, parts_.dispatcher.await(job, parts_.stop));
    if (!fact) return false;
    if (fact->comparison && fact->comparison->decision == Decision::better) champion_ = rival;
  }
  return true;
}

// A kernel with sanitizer findings is not promoted: the next best elite becomes champion.
Result<bool> FinalVerification::sanitize(const std::vector<CandidatePtr>& ranked) {
  if (!parts_.jobs.sanitizes()) return true;
  std::vector<CandidatePtr> order = ranked;
  std::stable_partition(order.begin(), order.end(),
                        [&](const CandidatePtr& elite) { return elite == champion_; });
  champion_ = nullptr;
  for (const CandidatePtr& elite : order) {
    KE_TRY(const std::optional<bool> passed, passes_sanitizers(elite));
    if (!passed) return false;
    if (!*passed) continue;
    champion_ = elite;
    break;
  }
  return true;
}

/// Nothing when a stop was requested.
Result<std::optional<bool>> FinalVerification::passes_sanitizers(const CandidatePtr& candidate) {
  const Digest& build = candidate->evaluation.build_hash;
  if (const auto known = passed_.find(build); known != passed_.end()) {
    return std::optional<bool>(known->second);
  }
  const Job job = parts_.jobs.sanitize(candidate->kernel, build);
  KE_TRY(const std::optional<Fact> fact, parts_.dispatcher.await(job, parts_.stop));
  if (!fact) return std::optional<bool>();
  return std::optional<bool>(passed_[build] = fact->verdict != Verdict::suspicious);
}

// Verification checks more inputs and shapes than screens do. A kernel that it refuses is not
// champion, and the next best elite that sanitizers pass is tried; if all are refused, the first
// stays.
Result<bool> FinalVerification::drop_refused() {
  constexpr std::size_t most_looked_at = 6;
  const auto& known = parts_.info.baselines;
  const bool anchored = std::ranges::find(known, "anchor") != known.end();
  if (!parts_.plan.verify.fall_back || !anchored) return true;
  std::vector<CandidatePtr> order{champion_};
  for (const CandidatePtr& elite : ranked(most_looked_at)) {
    if (elite != champion_) order.push_back(elite);
  }
  const bool examines = parts_.jobs.sanitizes() && parts_.plan.verify.examined;
  for (const CandidatePtr& elite : order) {
    if (examines) {
      KE_TRY(const std::optional<bool> passed, passes_sanitizers(elite));
      if (!passed) return false;
      if (!*passed) continue;
    }
    KE_TRY(const auto verdict, verdict_of(elite));
    if (!verdict) return false;
    if (is_judged(*verdict) && *verdict != Verdict::ok) continue;
    champion_ = elite;
    return true;
  }
  return true;
}

/// The verdict of the verification against the anchor; nothing when a stop was requested. Stores
/// the figures of a refused kernel.
Result<std::optional<Verdict>> FinalVerification::verdict_of(const CandidatePtr& elite) {
  KE_TRY(const auto fact, ask_to_verify(elite, {"anchor", std::nullopt}, {}, all_roles));
  if (!fact) return std::optional<Verdict>();
  const bool refused = is_judged(fact->verdict) && fact->verdict != Verdict::ok;
  for (const std::string& role : all_roles) {
    if (refused) KE_TRY_VOID(keep(elite, "anchor", *fact, role));
  }
  return std::optional(fact->verdict);
}

Result<bool> FinalVerification::choose_naive_flags() {
  const Seed& naive = parts_.plan.devices[parts_.device].naive;
  if (naive.kernel.source.empty() || !naive.space || naive.space->flag_genes.empty()) return true;
  const std::int64_t most = parts_.plan.verify.naive_flag_sets;
  if (most < 1) return true;
  if (!parts_.plan.verify.joint_flags) return choose_flags_one_by_one(naive, most);
  return search_flags(naive.kernel, *naive.space, most,
                      [this](const Kernel& variant) { return try_naive_flags(variant); });
}

// The search of older runs, kept so that stored runs replay their jobs: one gene after the other,
// each fixed at its best before the next.
Result<bool> FinalVerification::choose_flags_one_by_one(const Seed& naive, std::int64_t left) {
  --left;
  KE_TRY(std::optional<double> tried, try_naive_flags(naive.kernel));
  const auto& genes = naive.space->flag_genes;
  for (std::size_t g = 0; g < genes.size() && tried; ++g) {
    for (const auto& alternative : genes[g].alternatives) {
      Kernel variant = naive_best_.value_or(naive.kernel);
      if (!tried || variant.flags[g] == alternative || left-- < 1) continue;
      variant.flags[g] = alternative;
      KE_TRY(tried, try_naive_flags(variant));
    }
  }
  return tried.has_value();
}

Result<std::optional<double>> FinalVerification::try_naive_flags(const Kernel& variant) {
  constexpr double least_gain = 1.01;  // a smaller gain may be noise
  const std::optional<double> stopped;
  const std::optional<double> nothing(0.0);
  KE_TRY(const auto built, parts_.dispatcher.await(parts_.jobs.build(variant), parts_.stop));
  if (!built) return stopped;
  if (built->verdict != Verdict::ok || !naive_builds_.insert(built->build_hash).second) {
    return nothing;
  }
  const Job job = parts_.jobs.screen(variant, built->build_hash, 0);
  KE_TRY(const auto fact, parts_.dispatcher.await(job, parts_.stop));
  if (!fact) return stopped;
  if (fact->verdict != Verdict::ok || !fact->comparison) return nothing;
  const double speedup = fact->comparison->speedup;
  const bool gains =
      speedup > least_gain * naive_speedup_ && fact->comparison->ci.low > naive_speedup_;
  if (naive_best_ && !gains) return std::optional(speedup);
  naive_speedup_ = speedup;
  naive_best_ = variant;
  naive_best_build_ = built->build_hash;
  return std::optional(speedup);
}

Result<std::optional<Fact>> FinalVerification::ask_to_verify(
    const CandidatePtr& candidate, const Opponent& opponent, const Digest& opponent_build,
    const std::vector<std::string>& roles) {
  std::optional<Fact> fact;
  for (std::int64_t look = 0; look < max_verify_looks; ++look) {
    const Job job = parts_.jobs.verify(candidate->kernel, candidate->evaluation.build_hash,
                                       opponent, opponent_build, roles, look);
    KE_TRY(fact, parts_.dispatcher.await(job, parts_.stop));
    if (!fact || !is_worth_asking_again(fact->verdict)) break;
  }
  return fact;
}

Result<bool> FinalVerification::verify(const CandidatePtr& candidate, const std::string& baseline,
                                       const Opponent& opponent, const Digest& opponent_build,
                                       const std::vector<std::string>& roles) {
  KE_TRY(const auto fact, ask_to_verify(candidate, opponent, opponent_build, roles));
  if (!fact) return false;
  for (const std::string& role : roles) KE_TRY_VOID(keep(candidate, baseline, *fact, role));
  return true;
}

Result<void> FinalVerification::keep(const CandidatePtr& candidate, const std::string& baseline,
                                     const Fact& fact, const std::string& role) {
  VerifiedFigure figure;
  figure.candidate = candidate->id;
  figure.baseline = baseline;
  figure.role = role;
  figure.fact_key = fact.key;
  figure.note = figure_note(fact, role);
  const bool loses = role == validation_role && is_specialist(candidate->evaluation);
  if (figure.note.empty() && loses) figure.note = "specialist";
  if (fact.comparison) {
    const RoleFigure combined =
        role_figure(*fact.comparison, role, parts_.plan.devices[parts_.device].mean);
    if (combined.count == 0) return {};
    figure.speedup = combined.speedup;
    figure.ci = combined.ci;
  }
  KE_TRY_VOID(parts_.history.add_verified(figure));
  parts_.observer.on_verified(figure);
  return {};
}

}  // namespace ke
