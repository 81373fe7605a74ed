#include "fitness/gpu/gpu_judge.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fitness/content/unlisted.hpp"
#include "fitness/gpu/gpu_bench.hpp"
#include "fitness/gpu/gpu_quad.hpp"
#include "fitness/judging/pair_result.hpp"
#include "fitness/timing/clock.hpp"

namespace ke::gpu {
namespace {

/// Measures one cluster. The plan's `calls` are per sample; contents are fresh for every call, and
/// every output is compared. The recorded CPU clock of a sample is its span on the host.
Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan, const CallRules& rules);

constexpr int quads_of_a_suspect = 8;
constexpr int reloads_of_a_suspect = 3;
constexpr int known_calls_of_a_suspect = 8;

/// Times one workload in loaded modules.
class GpuBlock {
 public:
  GpuBlock(GpuBench& bench, const GpuBuiltPtr& challenger, const GpuBuiltPtr& opponent,
           const TimedWorkload& plan, const CallRules& rules, PairResult& result)
      : bench_(bench),
        challenger_(challenger),
        plan_(plan),
        rules_(rules),
        result_(result),
        slack_ns_(opponent->module ? HiddenTime::slack_of_modules_ns
                                   : HiddenTime::slack_of_kernels_ns) {
    rules_.limit_ms = std::max<std::int64_t>(plan.call_limit_ns / 1'000'000, 1);
  }

  /// False when a finding, or a GPU that throttles itself, ended it.
  Result<bool> run() {
    KE_TRY(pool_, bench_.contents.plain(*plan_.workload));
    hold_back();
    for (int q = 0; q < plan_.quads; ++q) {
      if (2 * q >= plan_.quads) holding_ = false;
      GpuQuad quad;
      KE_TRY(const bool taken, take_calm_quad([this](GpuQuad& one) { return take(one); }, quad));
      if (!taken) return false;
      if (quad.throttled) {
        result_.noise.emplace_back(Noise{
            "throttled",
            "the GPU slowed itself down while it was timed: " + bench_.watch.slowdowns(), true});
        return false;
      }
      keep(quad);
    }
    KE_TRY(bool judged, judge_hidden_time());
    if (judged) {
      KE_TRY(judged, judge_memory());
    }
    if (!judged) return false;
    result_.recall.push_back(recall_.estimate());
    result_.clusters.push_back(std::move(cluster_));
    result_.noise.push_back(std::nullopt);
    return true;
  }

 private:
  Result<bool> take(GpuQuad& quad) {
    const bool slow_before = bench_.watch.look();
    quad.order = bench_.contents.random().below(2) == 0 ? "ABBA" : "BAAB";
    for (std::size_t i = 0; i < 4; ++i) {
      KE_TRY(const bool good, sample(quad.order[i] == 'A' ? 0 : 1, quad, i));
      if (!good) return false;
    }
    quad.throttled = bench_.watch.look() || slow_before;
    return true;
  }

  void keep(const GpuQuad& quad) {
    cluster_.order += quad.order;
    cluster_.samples_ns.insert(cluster_.samples_ns.end(), quad.event_ns.begin(),
                               quad.event_ns.end());
    cluster_.cpu_ns.insert(cluster_.cpu_ns.end(), quad.host_ns.begin(), quad.host_ns.end());
  }

  Result<bool> sample(int arm, GpuQuad& quad, std::size_t at) {
    const int calls = plan_.calls[arm];
    for (int i = 0; i < calls; ++i) {
      const bool is_new = is_held_[arm] && !holding_;
      if (is_new) is_held_[arm] = false;
      KE_TRY(const GpuSample one, call(arm, is_new));
      if (one.finding) return false;
      if (arm == 0) note(first_call_, is_new, one);
      recall_.add(arm, is_new, one.event_ns);
      quad.event_ns[at] += one.event_ns;
      quad.host_ns[at] += one.host_ns;
      hidden_.add(arm, one.event_ns, one.host_ns);
    }
    quad.event_ns[at] = std::max<std::int64_t>(quad.event_ns[at] / calls, 1);
    quad.host_ns[at] /= calls;
    return true;
  }

  // Pools of large shapes hold few contents, whose answers a kernel could remember. So both arms
  // meet one of them only after half of their samples.
  void hold_back() {
    holding_ = pool_->entries().size() > 1;
    is_held_[0] = is_held_[1] = holding_;
    held_ = bench_.contents.random().below(pool_->entries().size());
  }

  FreshContent content(int arm, bool is_new) {
    if (is_new) return pool_->fresh(held_);
    if (!is_held_[arm]) return pool_->fresh();
    const std::size_t other = bench_.contents.random().below(pool_->entries().size() - 1);
    return pool_->fresh(other + (other >= held_ ? 1 : 0));
  }

  Result<GpuSample> call(int arm, bool is_new) {
    KE_TRY(GpuSample one, bench_.call(arm, *plan_.workload, content(arm, is_new), rules_));
    if (one.finding) (arm == 0 ? result_.challenger : result_.opponent) = one.finding;
    return one;
  }

  static void note(FirstCall& seen, bool is_new, const GpuSample& sample) {
    if (is_new)
      seen.add_new(sample.event_ns);
    else
      seen.add_known(sample.event_ns);
  }

  // A freshly loaded module has no memory of earlier calls.
  Result<bool> judge_memory() {
    if (!first_call_.suspected()) return true;
    for (int i = 0; i < reloads_of_a_suspect; ++i) {
      KE_TRY(result_.challenger, bench_.load(0, challenger_, true));
      if (result_.challenger) return false;
      FirstCall again;
      hold_back();
      for (int k = 0; k <= known_calls_of_a_suspect; ++k) {
        const bool is_new = k == known_calls_of_a_suspect;
        KE_TRY(const GpuSample one, call(0, is_new));
        if (one.finding) return false;
        note(again, is_new, one);
      }
      if (!again.suspected()) return true;
    }
    result_.challenger =
        Finding{Verdict::suspicious, "remembers_inputs",
                "calls on contents seen before were far faster than the first call on a new one"};
    return false;
  }

  // Confirms a suspicion with further calls, which no figure includes.
  Result<bool> judge_hidden_time() {
    if (!hidden_.suspected(slack_ns_)) return true;
    hidden_ = {};
    for (int q = 0; q < quads_of_a_suspect; ++q) {
      GpuQuad spare;
      KE_TRY(const bool taken, take(spare));
      if (!taken) return false;
    }
    if (!hidden_.suspected(slack_ns_)) return true;
    result_.challenger =
        Finding{Verdict::suspicious, "time_outside_events",
                "calls take longer on the judge's clock than their events on the device say"};
    return false;
  }

  GpuBench& bench_;
  const GpuBuiltPtr& challenger_;
  const TimedWorkload& plan_;
  CallRules rules_;
  PairResult& result_;
  ContentPool* pool_ = nullptr;
  Cluster cluster_;
  HiddenTime hidden_;
  std::int64_t slack_ns_;             ///< slack for `hidden_`
  std::size_t held_ = 0;              ///< the pool entry that is held back
  bool is_held_[2] = {false, false};  ///< the arm has not met it
  bool holding_ = false;              ///< and must not meet it yet
  FirstCall first_call_;
  Recall recall_;
};

/// The number of calls for one sample of `sample_ns`, for kernels that take about `call_ns`.
int calls_of_sample(double call_ns, std::int64_t sample_ns) {
  const double wanted = std::ceil(static_cast<double>(sample_ns) / std::max(call_ns, 1.0));
  return static_cast<int>(std::clamp(wanted, 1.0, 8.0));
}

Result<PairResult> measure_gpu_pair(GpuBench& bench, const GpuBuiltPtr& challenger,
                                    const GpuBuiltPtr& opponent,
                                    const std::vector<TimedWorkload>& plan,
                                    const CallRules& rules) {
  PairResult result;
  KE_TRY(result.challenger, bench.load(0, challenger, true));
  KE_TRY(result.opponent, bench.load(1, opponent, true));
  if (result.challenger || result.opponent) return result;
  for (const TimedWorkload& timed : plan) {
    KE_TRY(const bool good, GpuBlock(bench, challenger, opponent, timed, rules, result).run());
    if (!good) break;
  }
  return result;
}

constexpr std::int64_t edited_elements = 1 << 15;
// Enough rows of a bench shape's length for each kind of content to meet many places in a row.
constexpr std::int64_t slim_elements = 1 << 19;
constexpr std::size_t slim_draws = 2;  // per class

}  // namespace

Result<void> GpuJudge::run(const Job& job, const GpuArms& arms, Fact& fact) {
  job_ = &job;
  arms_ = arms;
  bench_.watch.begin();
  // Kernels that can reach the worker's own memory could forge its clock, so flag that for readers.
  if (bench_.gpu.sees_host) fact.policy_flags.push_back("host_memory_visible");
  KE_TRY_VOID(judge(*this, rules_, closing_, JudgedJob(job, arms, fact)));
  // Added after the feedback: operators learn about kernels, not about the machine's state.
  if (!job.roles.empty()) fact.policy_flags.push_back(bench_.watch.text());
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
  for (int i = 0; i < (full ? 3 : 1); ++i) list.push_back(pool->varied());
  for (int i = 0; i < 3; ++i) list.push_back(pool->fresh());
  if (GpuContents::elements(pool->shapes()) <= edited_elements)
    list.push_back(pool->edited(list.back()));
  return list;
}

Result<ContentPool*> GpuJudge::plain(const Workload& workload) {
  const AddTime took(bench_.time.contents);
  return bench_.contents.plain(workload);
}

Result<bool> GpuJudge::is_right(const Workload& workload, const FreshContent& content, bool cold,
                                CheckReport& report) {
  KE_TRY(GpuSample sample, bench_.call(0, workload, content, {cold, rules_.call_limit_ms}));
  if (GpuContents::small(content.shapes())) report.margin = std::max(report.margin, sample.margin);
  report.finding = std::move(sample.finding);
  if (report.finding && report.finding->mismatch) report.wrong = {workload, content};
  return !report.finding;
}

Result<bool> GpuJudge::check_small(const Workload& workload, bool full, CheckReport& report) {
  KE_TRY(const std::vector<FreshContent> list, contents_of(workload, full));
  for (const FreshContent& content : list) {
    KE_TRY(const bool right, is_right(workload, content, false, report));
    if (!right) return false;
  }
  return true;
}

// Other tasks meet every class of inputs at small test shapes.
Result<bool> GpuJudge::check_only_shape(const Workload& workload, bool full, CheckReport& report) {
  KE_TRY(ContentPool* const pool, bench_.contents.mixed(workload));
  const std::size_t cases = full ? ContentPool::cases(task()) : 1;
  for (std::size_t i = 0; i < cases; ++i) {
    const FreshContent content = full ? pool->new_draw(i) : pool->fresh();
    KE_TRY(const bool right, is_right(workload, content, rules_.cold, report));
    if (!right) return false;
  }
  return true;
}

Result<bool> GpuJudge::check_unlisted(Thoroughness thoroughness, CheckReport& report) {
  for (const Workload& workload :
       unlisted_workloads(task(), purpose_of(thoroughness), {}, random())) {
    KE_TRY(ContentPool pool, bench_.contents.passing(workload));
    KE_TRY(const bool right, is_right(workload, pool.fresh(0), rules_.cold, report));
    if (!right) return false;
  }
  return true;
}

Result<bool> GpuJudge::check_slim(CheckReport& report) {
  for (const Workload& workload : slim_workloads(task(), slim_elements, random())) {
    KE_TRY(ContentPool pool, bench_.contents.passing_all(workload));
    const std::size_t cases = ContentPool::cases(task());
    for (std::size_t i = 0; i < slim_draws * (cases + 1); ++i) {
      const std::size_t one = i % (cases + 1);
      const FreshContent content = pool.new_draw(one < cases ? one : varied_case);
      KE_TRY(const bool right, is_right(workload, content, rules_.cold, report));
      if (!right) return false;
    }
  }
  return true;
}

Result<CheckReport> GpuJudge::check(Thoroughness thoroughness) {
  const AddTime took(bench_.time.check);
  const bool full = thoroughness == Thoroughness::full;
  CheckReport report;
  KE_TRY(report.finding, bench_.load(0, arms_.candidate, true));
  if (report.finding) return report;
  std::vector<const Workload*> small, large;
  for (const Workload& workload : task().workloads) {
    KE_TRY(const Shapes shapes, resolve_shapes(task(), workload));
    (GpuContents::small(shapes) ? small : large).push_back(&workload);
  }
  shuffle(small, random());
  for (const Workload* workload : small) {
    KE_TRY(const bool right, check_small(*workload, full, report));
    if (!right) return report;
  }
  // Timed calls are compared too, so only large shapes that are not timed need a call here.
  for (const Workload* workload : large) {
    if (task().has_one_shape()) {
      KE_TRY(const bool right, check_only_shape(*workload, full, report));
      if (!right) return report;
    }
    KE_TRY(const Shapes shapes, resolve_shapes(task(), *workload));
    if (full && workload->role == Role::bench && bench_.contents.on_device(shapes)) {
      KE_TRY(ContentPool* const other, bench_.contents.mixed(*workload));
      KE_TRY(const bool right, is_right(*workload, other->fresh(), rules_.cold, report));
      if (!right) return report;
    }
    const bool wanted = workload->role == Role::test || workload->role == Role::bench || full;
    if (is_timed(*job_, *workload) || !wanted) continue;
    KE_TRY(ContentPool* const pool, plain(*workload));
    for (int i = 0; i < 2; ++i) {
      KE_TRY(const bool right, is_right(*workload, pool->fresh(), rules_.cold, report));
      if (!right) return report;
    }
  }
  KE_TRY(bool right, check_unlisted(thoroughness, report));
  if (right && full) {
    KE_TRY(right, check_slim(report));
  }
  return report;
}

Result<std::optional<Finding>> GpuJudge::call(int arm, const WrongCall& wrong) {
  if (arm == 1) {
    KE_TRY(auto finding, bench_.load(1, arms_.opponent, false));
    if (finding) return finding;
  }
  KE_TRY(GpuSample sample,
         bench_.call(arm, wrong.workload, wrong.content, {false, rules_.call_limit_ms}));
  return std::move(sample.finding);
}

Result<FreshContent> GpuJudge::content(const Workload& workload) {
  KE_TRY(ContentPool* const pool, plain(workload));
  return pool->fresh();
}

// --- timing ---

// Keeps the shorter of two calls.
Result<std::optional<Finding>> GpuJudge::time_call(int arm, const Workload& workload,
                                                   double opponent_ns, double& best) {
  KE_TRY(ContentPool* const pool, plain(workload));
  KE_TRY(auto finding, bench_.load(arm, arm == 0 ? arms_.candidate : arms_.opponent, false));
  CallRules rules = call_rules();
  rules.limit_ms += static_cast<std::int64_t>(20e-6 * opponent_ns);
  best = 1e18;
  for (int i = 0; i < 2 && !finding; ++i) {
    KE_TRY(GpuSample sample, bench_.call(arm, workload, pool->fresh(), rules));
    best = std::min(best, static_cast<double>(sample.event_ns));
    finding = std::move(sample.finding);
  }
  return finding;
}

Result<double> GpuJudge::opponent_ns(const Workload& workload) {
  double best = 0;
  KE_TRY(const auto finding, time_call(1, workload, 0, best));
  return finding ? 0 : best;
}

// The time of a call decides how many make a sample. Measured anew for each job, since it costs
// next to nothing compared with loading modules.
Result<SamplePlan> GpuJudge::plan(const std::vector<const Workload*>& on) {
  SamplePlan plan;
  const int shares = static_cast<int>(on.size());
  const int kept = job_->kind == JobKind::screen ? rules_.screen_quads : rules_.duel_quads;
  for (const Workload* workload : on) {
    double call_ns[2] = {};
    KE_TRY(plan.opponent, time_call(1, *workload, 0, call_ns[1]));
    if (plan.opponent) return plan;
    KE_TRY(plan.challenger, time_call(0, *workload, call_ns[1], call_ns[0]));
    if (plan.challenger) return plan;
    TimedWorkload timed;
    timed.workload = workload;
    timed.calls[0] = timed.calls[1] =
        calls_of_sample(std::min(call_ns[0], call_ns[1]), rules_.sample_ns);
    timed.call_limit_ns = rules_.call_limit_ms * 1'000'000 +
                          static_cast<std::int64_t>(20 * std::max(call_ns[0], call_ns[1]));
    timed.quads = 1 + std::max(kept / shares, shares == 1 ? kept : 2);
    plan.workloads.push_back(timed);
  }
  return plan;
}

Result<PairResult> GpuJudge::pair(const std::vector<TimedWorkload>& plan) {
  return measure_gpu_pair(bench_, arms_.candidate, arms_.opponent, plan, call_rules());
}

Result<double> GpuJudge::copy_rate() {
  if (copy_rate_ == 0) {
    KE_TRY(copy_rate_, bench_.memory.copy_bytes_per_ns(std::int64_t{1} << 30));
  }
  return copy_rate_;
}

Result<MemoryRate> GpuJudge::memory_rate() {
  KE_TRY(const double rate, copy_rate());
  return MemoryRate([rate](std::int64_t) { return rate; });
}

}  // namespace ke::gpu
