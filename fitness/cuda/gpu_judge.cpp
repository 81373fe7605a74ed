#include "fitness/cuda/gpu_judge.hpp"

#include <algorithm>

#include "fitness/cuda/gpu_pair.hpp"
#include "fitness/judging/conclusion.hpp"
#include "fitness/judging/feedback.hpp"
#include "fitness/memory_floor.hpp"
#include "fitness/timing/add_time.hpp"
#include "fitness/timing/clock.hpp"
#include "fitness/timing/recorded_cluster.hpp"

namespace ke::cuda {
namespace {

constexpr std::int64_t edited_elements = 1 << 15;
constexpr int least_verified = 3;

}  // namespace

Result<void> GpuJudge::run(const Job& job, const GpuArms& arms, Fact& fact) {
  const std::int64_t begin = now_ns();
  bench_.watch.begin();
  // Kernels that can reach the worker's own memory could forge its clock: a reader shall know.
  if (bench_.gpu.sees_host) fact.policy_flags.push_back("host_memory_visible");
  if (job.kind == JobKind::verify) bench_.drop(0);  // a champion is judged in a fresh process
  Check report;
  if (job.kind != JobKind::duel) {
    const AddTime took(bench_.time.check);
    KE_TRY(report, check(job, arms));
  }
  if (report.finding) refuse(fact, *report.finding);
  const Finding* finding = report.finding ? &*report.finding : nullptr;
  if (finding == nullptr && job.roles.empty()) fact.verdict = Verdict::ok;
  if (finding == nullptr && !job.roles.empty()) KE_TRY_VOID(compare(job, arms, fact));
  const std::string against = job.opponent ? job.opponent->name : "incumbent";
  if (fact.feedback.empty()) {
    fact.feedback = feedback_of({&fact, nullptr, finding, report.margin, &bench_.task, against});
  }
  // Behind the feedback: operators learn of kernels, not of the machine's weather.
  if (!job.roles.empty()) fact.policy_flags.push_back(bench_.watch.text());
  fact.cost.lane_ns = now_ns() - begin;
  return {};
}

// --- correctness ---

Result<std::vector<FreshContent>> GpuJudge::contents_of(const Workload& workload, bool full) {
  const AddTime took(bench_.time.contents);
  KE_TRY(ContentPool* const pool, bench_.contents.mixed(workload));
  SecretRandom& random = bench_.contents.random();
  const std::size_t cases = ContentPool::cases(bench_.task);
  std::vector<FreshContent> list;
  if (full) {
    for (std::size_t c = 0; c < cases; ++c) list.push_back(pool->new_draw(c));
  } else {
    list.push_back(pool->new_draw(random.below(cases)));
  }
  for (int i = 0; i < 3; ++i) list.push_back(pool->fresh());
  if (GpuContents::elements(pool->shapes()) <= edited_elements)
    list.push_back(pool->edited(list.back()));
  return list;
}

Result<ContentPool*> GpuJudge::plain(const Workload& workload) {
  const AddTime took(bench_.time.contents);
  return bench_.contents.plain(workload);
}

Result<void> GpuJudge::check_small(const Workload& workload, bool full, Check& report) {
  KE_TRY(const std::vector<FreshContent> list, contents_of(workload, full));
  for (const FreshContent& content : list) {
    KE_TRY(GpuSample sample, bench_.call(0, workload, content, {false, rules_.call_limit_ms}));
    report.margin = std::max(report.margin, sample.margin);
    if (!sample.finding) continue;
    report.finding = std::move(sample.finding);
    if (report.finding->reason != "mismatch") return {};
    // Wrong once and right for the same inputs: the answer does not depend on the inputs alone.
    KE_TRY(const GpuSample again, bench_.call(0, workload, content, {false, rules_.call_limit_ms}));
    if (again.finding) return {};
    report.finding->verdict = Verdict::nondeterministic;
    report.finding->reason = "right_when_repeated";
    return {};
  }
  return {};
}

Result<GpuJudge::Check> GpuJudge::check(const Job& job, const GpuArms& arms) {
  Check report;
  KE_TRY(report.finding, bench_.load(0, arms.candidate, true));
  const bool full = job.roles.empty() || job.kind == JobKind::verify;
  std::vector<const Workload*> small, large;
  for (const Workload& workload : bench_.task.workloads) {
    KE_TRY(const Shapes shapes, resolve_shapes(bench_.task, workload));
    (GpuContents::small(shapes) ? small : large).push_back(&workload);
  }
  for (std::size_t i = small.size(); i > 1; --i) {
    std::swap(small[i - 1], small[bench_.contents.random().below(i)]);
  }
  for (const Workload* workload : small) {
    if (!report.finding) KE_TRY_VOID(check_small(*workload, full, report));
  }
  // Timed calls are compared too: here are large shapes that are not timed.
  for (const Workload* workload : large) {
    const bool timed = std::ranges::find(job.roles, to_string(workload->role)) != job.roles.end();
    const bool wanted = workload->role == Role::test || workload->role == Role::bench || full;
    if (report.finding || timed || !wanted) continue;
    KE_TRY(ContentPool* const pool, plain(*workload));
    for (int i = 0; i < 2 && !report.finding; ++i) {
      KE_TRY(GpuSample sample, bench_.call(0, *workload, pool->fresh(), call_rules()));
      report.finding = std::move(sample.finding);
    }
  }
  return report;
}

// --- timing ---

// One call of each arm: how long it takes decides how many make a sample.
Result<std::vector<TimedWorkload>> GpuJudge::plan(const Job& job, const GpuArms& arms, Fact& fact) {
  const auto on = workloads_with(bench_.task, job.roles);
  if (on.empty()) return Error{ke::Failure::config, "no workload has a role of this job"};
  std::vector<TimedWorkload> plan;
  for (const Workload* workload : on) {
    KE_TRY(ContentPool* const pool, plain(*workload));
    TimedWorkload timed;
    timed.workload = workload;
    double slowest = 0;
    for (const int arm : {1, 0}) {
      KE_TRY(std::optional<Finding> finding,
             bench_.load(arm, arm == 0 ? arms.candidate : arms.opponent, false));
      double best = 1e18;
      for (int i = 0; i < 2 && !finding; ++i) {
        CallRules rules = call_rules();
        if (arm == 0) rules.limit_ms += static_cast<std::int64_t>(20e-6 * slowest);
        KE_TRY(GpuSample sample, bench_.call(arm, *workload, pool->fresh(), rules));
        best = std::min(best, static_cast<double>(sample.event_ns));
        finding = std::move(sample.finding);
      }
      if (finding && arm == 1) {
        blame_opponent(fact, *finding);
        return std::vector<TimedWorkload>();
      }
      if (finding) {
        refuse(fact, *finding);
        fact.feedback = feedback_of({&fact, nullptr, &*finding, -1, &bench_.task, ""});
        return std::vector<TimedWorkload>();
      }
      timed.calls[arm] = calls_of_sample(best, rules_.sample_ns);
      slowest = std::max(slowest, best);
    }
    timed.calls[0] = timed.calls[1] = std::max(timed.calls[0], timed.calls[1]);
    timed.call_limit_ns =
        rules_.call_limit_ms * 1'000'000 + static_cast<std::int64_t>(20 * slowest);
    const int shares = static_cast<int>(on.size());
    const int kept = job.kind == JobKind::screen ? rules_.screen.quads : rules_.duel_quads;
    timed.quads = 1 + std::max(kept / shares, shares == 1 ? kept : 2);
    plan.push_back(timed);
  }
  return plan;
}

Result<bool> GpuJudge::cluster(const GpuArms& arms, const std::vector<TimedWorkload>& plan,
                               Tally& tally, Fact& fact) {
  KE_TRY(PairResult result,
         measure_gpu_pair(bench_, arms.candidate, arms.opponent, plan, call_rules()));
  if (result.challenger) {
    refuse(fact, *result.challenger);
    fact.feedback = feedback_of({&fact, nullptr, &*result.challenger, -1, &bench_.task, ""});
    return false;
  }
  if (result.opponent) {
    blame_opponent(fact, *result.opponent);
    return false;
  }
  const auto distrust = [&](const std::string& reason, const std::string& message) {
    fact.verdict = Verdict::unreliable;
    fact.reason = reason;
    fact.message = message;
    return false;
  };
  if (!result.noise.empty() && result.noise.back()) {
    return distrust(*result.noise.back(),
                    "the GPU slowed itself down while it was timed: " + bench_.watch.slowdowns());
  }
  if (tally.add(std::move(result), 0)) return true;
  return distrust(tally.noise(), "too short to be timed well enough");
}

Result<double> GpuJudge::copy_rate() {
  if (copy_rate_ == 0) {
    KE_TRY(copy_rate_, bench_.memory.copy_bytes_per_ns(std::int64_t{1} << 30));
  }
  return copy_rate_;
}

Result<void> GpuJudge::conclude(const Tally& tally, Fact& fact) {
  KE_TRY_VOID(copy_rate());
  const auto floor_ns = [this](const Workload& workload) {
    return memory_floor_ns(bench_.task, workload, [this](std::int64_t) { return copy_rate_; });
  };
  ke::conclude(tally, bench_.task, floor_ns, fact);
  return {};
}

// Faster than memory allows: measured again in a fresh process with three times the samples.
Result<bool> GpuJudge::plausible(const GpuArms& arms, std::vector<TimedWorkload> timed,
                                 Fact& fact) {
  if (!below_floor(*fact.comparison, rules_.floor_share)) return true;
  bench_.drop(0);
  for (TimedWorkload& one : timed) one.quads *= 3;
  Tally again(timed, rules_.duel.prior);
  KE_TRY(const bool measured, cluster(arms, timed, again, fact));
  if (!measured) return false;
  return judge_floor(again.comparison(), fact);
}

Result<void> GpuJudge::compare(const Job& job, const GpuArms& arms, Fact& fact) {
  const std::int64_t begin = now_ns();
  KE_TRY(const std::vector<TimedWorkload> timed, plan(job, arms, fact));
  if (timed.empty()) return {};
  Tally tally(timed, rules_.duel.prior);
  KE_TRY(bool measured, cluster(arms, timed, tally, fact));
  if (!measured) return {};
  if (job.kind == JobKind::duel) return duel(arms, timed, tally, fact);
  const auto enough = [&](int clusters) {
    return clusters >= least_verified && now_ns() - begin > rules_.verify_ns;
  };
  const int wanted = job.kind == JobKind::verify ? rules_.verify_clusters : 1;
  for (int i = 1; i < wanted && !enough(i) && !closing_; ++i) {
    KE_TRY(measured, cluster(arms, timed, tally, fact));
    if (!measured) return {};
  }
  KE_TRY_VOID(conclude(tally, fact));
  KE_TRY(measured, plausible(arms, timed, fact));
  return {};
}

Result<void> GpuJudge::duel(const GpuArms& arms, const std::vector<TimedWorkload>& timed,
                            Tally& tally, Fact& fact) {
  DuelDecision ended{};
  const auto add = [&] { return cluster(arms, timed, tally, fact); };
  KE_TRY(const bool measured,
         decide_duel(tally, rules_.duel, rules_.duel_ns, closing_, add, ended));
  if (!measured) return {};
  KE_TRY_VOID(conclude(tally, fact));
  fact.comparison->decision = recorded(ended);
  return {};
}

}  // namespace ke::cuda
