#include "fitness/cpu/judge.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>

#include "fitness/cpu/session.hpp"
#include "fitness/judging/conclusion.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/memory_floor.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/log_estimate.hpp"
#include "fitness/timing/recorded_cluster.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::uint64_t paddings = 64;  // cache lines in front of the code
constexpr std::size_t known_times = 4096;
constexpr double judged_bytes_per_ns = 3;  // filling, poisoning and comparing, roughly
constexpr int least_verified = 4;          // clusters of a verification
constexpr int least_looked_at = 2;         // the second shows whether a kernel remembers
constexpr int verify_patience = 2;  // times what is planned, for a precise figure or quiet moments
constexpr double precise_log = 0.02;   // half width of a bench workload's interval
constexpr double precise_share = 0.1;  // of the gain's logarithm, which may be wider
constexpr int most_checks = 3;         // where contents were too hard
constexpr int pair_tries = 5;          // of a cluster that something else disturbed

/// Whether bench figures near 1 are known to 2 %, larger ones to a tenth of their gain.
bool is_precise(const Comparison& comparison) {
  return std::ranges::all_of(comparison.workloads, [](const WorkloadTiming& timing) {
    const double width = std::log(timing.ci.high / timing.ci.low) / 2;
    const double wanted = std::max(precise_log, precise_share * std::abs(std::log(timing.speedup)));
    return timing.role != "bench" || width <= wanted;
  });
}

std::int64_t thread_cpu_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Floating-point modes and early stops went unseen: a reader of the fact shall know.
void flag_unchecked(Fact& fact, bool unchecked) {
  const std::string flag = "unchecked_registers";
  if (unchecked && std::ranges::find(fact.policy_flags, flag) == fact.policy_flags.end())
    fact.policy_flags.push_back(flag);
}

void distrust(Fact& fact, const std::string& noise) {
  fact.verdict = Verdict::unreliable;
  fact.reason = noise;
  fact.message =
      noise == "contended" ? "something else ran on the lane" : "too short to be timed well enough";
}

std::string feedback_after(const CheckReport& report, const Fact& fact, const CpuArms& arms,
                           const Task& task, const std::string& against) {
  const Finding* finding = report.finding ? &*report.finding : nullptr;
  return feedback_of({&fact, arms.candidate.get(), finding, report.margin, &task, against,
                      &report.preparation_ns});
}

double median_ns(const Cluster& cluster, char arm) {
  std::vector<double> values;
  for (std::size_t i = 0; i < cluster.samples_ns.size(); ++i) {
    if (cluster.order[i] == arm) values.push_back(static_cast<double>(cluster.samples_ns[i]));
  }
  return values.empty() ? 0 : median_of(values);
}

}  // namespace

Judge::Judge(const Bench& bench, Libraries& libraries, const JudgeRules& rules,
             const std::atomic<bool>& closing)
    : bench_(bench), libraries_(libraries), rules_(rules), closing_(closing) {}

Result<void> Judge::run(const Job& job, const CpuArms& arms, Fact& fact) {
  const std::int64_t wall = now_ns(), cpu = thread_cpu_ns();
  if (arms.opponent) draw_paddings(arms);
  const bool final = job.kind == JobKind::verify;
  patient_until_ns_ = wall + (final ? verify_patience * rules_.verify_ns : rules_.patience_ns);
  switch (job.kind) {
    case JobKind::build:
    case JobKind::sanitize: break;
    case JobKind::screen: KE_TRY_VOID(screen(job, arms, fact)); break;
    case JobKind::duel: KE_TRY_VOID(duel(job, arms, fact)); break;
    case JobKind::verify: KE_TRY_VOID(verify(job, arms, fact)); break;
  }
  fact.cost.lane_ns = now_ns() - wall;
  fact.cost.judge_cpu_ns = thread_cpu_ns() - cpu;
  return {};
}

Result<Library> Judge::library(const BuiltPtr& built, std::uint64_t padding) {
  KE_TRY(std::string bytes, libraries_.link(built, padding));
  return Library{std::move(bytes), built->trusted, built->prepares, built->launches};
}

// The next pair is linked while the judge is busy with something else.
void Judge::draw_paddings(const CpuArms& arms) {
  for (std::uint64_t& padding : paddings_) padding = bench_.contents->random().below(paddings);
  libraries_.ahead(arms.candidate, paddings_[0]);
  libraries_.ahead(arms.opponent, paddings_[1]);
}

// Rarely nearly all of an answer cancels out, so that no kernel has it within the tolerance: where
// the task's own kernel fails too, a content says nothing.
Result<bool> Judge::too_hard(const Job& job, const CpuArms& arms, const WrongCall& wrong) {
  // Libraries behind trusted baselines need not share the task's rules for odd inputs.
  if (!arms.opponent || arms.opponent->trusted || job.opponent->name.empty()) return false;
  KE_TRY(const Library other, library(arms.opponent, check_padding));
  return is_wrong_too(bench_, other, wrong);
}

Result<bool> Judge::check(const Job& job, const CpuArms& arms, Fact& fact, CheckReport& report) {
  const BuiltPtr& candidate = arms.candidate;
  KE_TRY(const Library checked, library(candidate, check_padding));
  const bool all = job.roles.empty() || job.kind == JobKind::verify;
  for (int tried = 0; tried < most_checks; ++tried) {
    KE_TRY(report, check_kernel(bench_, checked, all ? Thoroughness::full : Thoroughness::sampled));
    if (!report.wrong) break;
    KE_TRY(const bool hard, too_hard(job, arms, *report.wrong));
    if (!hard) break;
  }
  flag_unchecked(fact, report.unchecked_registers);
  if (call_ns_.size() > known_times) call_ns_.clear();
  for (const auto& [label, ns] : report.call_ns) call_ns_[candidate->build_hash][label] = ns;
  if (!report.finding) return true;
  refuse(fact, *report.finding);
  return false;
}

// Times that plans are made from; three calls each in a process of their own.
Result<const Judge::CallTimes*> Judge::call_times(const BuiltPtr& built,
                                                  const std::vector<const Workload*>& on) {
  CallTimes& known = call_ns_[built->build_hash];
  std::vector<const Workload*> missing;
  for (const Workload* workload : on) {
    if (!known.contains(workload->label)) missing.push_back(workload);
  }
  if (missing.empty()) return &known;
  std::vector<SlotRequest> requests;
  for (const Workload* workload : missing) {
    KE_TRY(const ContentPool* const pool, bench_.contents->plain(*workload));
    requests.push_back({std::make_shared<const Shapes>(pool->shapes()), 1});
  }
  KE_TRY(const Library called, library(built, check_padding));
  KE_TRY(Session session, Session::open(bench_, requests, {called}));
  for (std::size_t i = 0; i < missing.size() && !session.load_finding(0); ++i) {
    KE_TRY(ContentPool* const pool, bench_.contents->plain(*missing[i]));
    double best = 1e12;
    for (int call = 0; call < 3 && best > 1e-3; ++call) {
      const Placed placed{{static_cast<int>(i), 0, Side::start}, pool->fresh()};
      session.place({&placed, 1});
      const Sample sample = session.run(0, {&placed, 1}, *missing[i], {.limit_ns = 60'000'000'000});
      if (sample.finding) return &known;  // the pair will say what is wrong with it
      best = std::min(best, static_cast<double>(sample.span_ns));
      // The first call may load a library, which says nothing of the others.
      if (call > 0 && best > 2e7) break;
    }
    known[missing[i]->label] = best;
  }
  return &known;
}

// The quads of a cluster are shared out between its workloads. Slow calls get fewer: one sample of
// theirs is long already, and a candidate far behind is not worth a minute of the lane.
int Judge::quads_for(const Job& job, const TimedWorkload& timed, const double (&call_ns)[2],
                     std::size_t bytes, std::size_t workloads) const {
  const int shares = static_cast<int>(workloads);
  const double quad_ns =
      2.2 * timed.rounds * (timed.calls[0] * call_ns[0] + timed.calls[1] * call_ns[1]);
  const auto fitting = [&](std::int64_t goal_ns, double cost_ns, int least, int most) {
    const double count = static_cast<double>(goal_ns) / (shares * cost_ns);
    return static_cast<int>(std::clamp(count, double(least), double(std::max(least, most))));
  };
  if (job.kind == JobKind::screen)
    return fitting(rules_.screen_ns, quad_ns, 1, 1 + std::max(rules_.screen.quads / shares, 2));
  const int most = 1 + std::max(rules_.duel_quads / shares, 4);
  if (job.kind == JobKind::duel) return fitting(rules_.cluster_ns, quad_ns, 1, most);
  const double calls = 2.2 * timed.rounds * (timed.calls[0] + timed.calls[1]);
  const double judged_ns = quad_ns + calls * static_cast<double>(bytes) / judged_bytes_per_ns;
  return fitting(rules_.verify_ns / rules_.verify_clusters, judged_ns, 1, most);
}

Result<std::vector<TimedWorkload>> Judge::plan(const Job& job, const CpuArms& arms) {
  const auto on = workloads_with(*bench_.task, job.roles);
  if (on.empty()) return Error{Failure::config, "no workload has a role of this job"};
  KE_TRY(const CallTimes* candidate, call_times(arms.candidate, on));
  KE_TRY(const CallTimes* opponent, call_times(arms.opponent, on));
  std::vector<TimedWorkload> plan;
  for (const Workload* workload : on) {
    KE_TRY(const ContentPool* const pool, bench_.contents->plain(*workload));
    const auto find = [&](const CallTimes& times) {
      const auto found = times.find(workload->label);
      return found == times.end() ? 1e6 : found->second;
    };
    const double call_ns[2] = {find(*candidate), find(*opponent)};
    TimedWorkload timed =
        plan_samples(*workload, call_ns, static_cast<std::size_t>(pool->shapes().bytes()),
                     bench_.arena_bytes / on.size());
    timed.call_limit_ns =
        bench_.call_limit_ns + static_cast<std::int64_t>(20 * std::max(call_ns[0], call_ns[1]));
    timed.quads =
        quads_for(job, timed, call_ns, static_cast<std::size_t>(pool->shapes().bytes()), on.size());
    plan.push_back(timed);
  }
  return plan;
}

// False when the fact is decided: wrong, crashed, or not to be measured now. A pair during which
// something else ran is taken again, a few times and not for ever.
Result<bool> Judge::cluster(const CpuArms& arms, const std::vector<TimedWorkload>& plan,
                            Tally& tally, Fact& fact) {
  for (int tried = 0; tried < pair_tries && !closing_; ++tried) {
    KE_TRY(const bool measured, pair(arms, plan, tally, fact));
    if (measured || fact.reason != "contended") return measured;
    if (now_ns() > patient_until_ns_) return false;
  }
  return false;
}

Result<bool> Judge::pair(const CpuArms& arms, const std::vector<TimedWorkload>& plan, Tally& tally,
                         Fact& fact) {
  const std::uint64_t padding = paddings_[0];
  KE_TRY(const Library challenger, library(arms.candidate, padding));
  KE_TRY(const Library opponent, library(arms.opponent, paddings_[1]));
  draw_paddings(arms);
  KE_TRY(PairResult result, measure_pair(bench_, challenger, opponent, plan));
  flag_unchecked(fact, result.unchecked_registers);
  if (result.challenger) {
    refuse(fact, *result.challenger);
    fact.feedback =
        feedback_of({&fact, arms.candidate.get(), &*result.challenger, -1, bench_.task, ""});
    return false;
  }
  if (result.opponent) {
    blame_opponent(fact, *result.opponent);
    return false;
  }
  learn_times(arms, plan, result);
  if (tally.add(std::move(result), static_cast<std::int64_t>(padding * 64))) return true;
  distrust(fact, tally.noise());
  return false;
}

// What plans need is the time in the surroundings of a sample: a single call of a check, or the
// best of many, is another figure.
void Judge::learn_times(const CpuArms& arms, const std::vector<TimedWorkload>& plan,
                        const PairResult& result) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Cluster& cluster = result.clusters[i];
    for (const char arm : {'A', 'B'}) {
      const Built& built = arm == 'A' ? *arms.candidate : *arms.opponent;
      call_ns_[built.build_hash][plan[i].workload->label] = std::max(median_ns(cluster, arm), 1.0);
    }
  }
}

// The first cluster of a job shows whether the plan was good: after samples that came out too short
// it is planned anew, with the times just learnt.
Result<bool> Judge::first_cluster(const Job& job, const CpuArms& arms,
                                  std::vector<TimedWorkload>& timed, Tally& tally, Fact& fact) {
  constexpr int most_plans = 3;
  for (int plans = 1;; ++plans) {
    KE_TRY(timed, plan(job, arms));
    tally = Tally(timed, rules_.duel.prior);
    KE_TRY(const bool measured, cluster(arms, timed, tally, fact));
    if (measured || fact.reason != "short_sample" || plans == most_plans) return measured;
  }
}

double Judge::floor_ns(const Workload& workload) {
  return memory_floor_ns(*bench_.task, workload, [this](std::int64_t bytes) {
    return bandwidth_.bytes_per_ns(static_cast<std::size_t>(bytes));
  });
}

void Judge::conclude(const Tally& tally, Fact& fact) {
  ke::conclude(
      tally, *bench_.task, [this](const Workload& workload) { return floor_ns(workload); }, fact);
}

// Faster than memory allows: measured again with three times the samples. True when that agrees.
Result<bool> Judge::above_floors(const CpuArms& arms, const std::vector<TimedWorkload>& plan,
                                 Fact& fact) {
  if (!below_floor(*fact.comparison, rules_.floor_share)) return true;
  std::vector<TimedWorkload> longer = plan;
  for (TimedWorkload& timed : longer) timed.quads *= 3;
  Tally again(longer, rules_.duel.prior);
  Fact second = fact;
  KE_TRY(const bool measured, cluster(arms, longer, again, second));
  if (measured) return judge_floor(again.comparison(), fact);
  fact = second;
  return false;
}

Result<void> Judge::screen(const Job& job, const CpuArms& arms, Fact& fact) {
  CheckReport report;
  KE_TRY(const bool right, check(job, arms, fact, report));
  const std::string against = job.opponent ? job.opponent->name : "";
  if (!right || job.roles.empty()) {
    if (right) fact.verdict = Verdict::ok;
    fact.feedback = feedback_after(report, fact, arms, *bench_.task, "");
    return {};
  }
  std::vector<TimedWorkload> timed;
  Tally tally({}, rules_.duel.prior);
  KE_TRY(const bool measured, first_cluster(job, arms, timed, tally, fact));
  if (!measured) return {};
  conclude(tally, fact);
  KE_TRY(const bool plausible, above_floors(arms, timed, fact));
  static_cast<void>(plausible);
  fact.feedback = feedback_after(report, fact, arms, *bench_.task, against);
  return {};
}

Result<void> Judge::duel(const Job& job, const CpuArms& arms, Fact& fact) {
  std::vector<TimedWorkload> timed;
  Tally tally({}, rules_.duel.prior);
  KE_TRY(bool measured, first_cluster(job, arms, timed, tally, fact));
  if (!measured) return {};
  DuelDecision ended{};
  const auto add = [&] { return cluster(arms, timed, tally, fact); };
  KE_TRY(measured, decide_duel(tally, rules_.duel, rules_.duel_ns, closing_, add, ended));
  if (!measured) return {};
  conclude(tally, fact);
  fact.comparison->decision = recorded(ended);
  fact.feedback = feedback_of({&fact, arms.candidate.get(), nullptr, -1, bench_.task, "incumbent"});
  return {};
}

Result<void> Judge::verify(const Job& job, const CpuArms& arms, Fact& fact) {
  CheckReport report;
  KE_TRY(const bool right, check(job, arms, fact, report));
  if (!right) {
    fact.feedback = feedback_after(report, fact, arms, *bench_.task, "");
    return {};
  }
  const std::int64_t begin = now_ns();
  std::vector<TimedWorkload> timed;
  Tally tally({}, rules_.duel.prior);
  KE_TRY(const bool first, first_cluster(job, arms, timed, tally, fact));
  if (!first) return {};
  const auto enough = [&](int measured) {
    const std::int64_t spent_ns = now_ns() - begin;
    if (measured < least_looked_at) return false;
    // Two clusters of a slow opponent have one degree of freedom: a t interval of 12.7 errors.
    // It gets twice the time of others to reach four, whose factor is 3.2.
    const bool late = spent_ns > verify_patience * rules_.verify_ns;
    if (late && measured >= least_verified) return true;
    if (spent_ns > 2 * verify_patience * rules_.verify_ns) return true;
    if (measured >= verify_patience * rules_.verify_clusters) return true;
    // Far slower opponents need no eight clusters to be known well enough.
    const bool planned = measured >= rules_.verify_clusters ||
                         (measured >= least_verified && spent_ns > rules_.verify_ns);
    return planned && is_precise(tally.comparison());
  };
  for (int i = 1; !enough(i) && !closing_; ++i) {
    const bool unseen = i + 1 == least_looked_at || bench_.contents->random().below(2) == 0;
    for (TimedWorkload& workload : timed) workload.unseen = unseen;
    // Where memory lies is chance too: kept, all clusters would share one draw of it.
    bench_.memory->renew();
    KE_TRY(const bool measured, cluster(arms, timed, tally, fact));
    if (measured) continue;
    // What was measured in quieter moments stands.
    if (fact.reason != "contended" || i < least_verified) return {};
    break;
  }
  conclude(tally, fact);
  const std::string against = job.opponent ? job.opponent->name : "";
  fact.feedback = feedback_after(report, fact, arms, *bench_.task, against);
  return {};
}

}  // namespace ke
