#include "fitness/gpu/gpu_judge.hpp"

#include <algorithm>
#include <cmath>

#include "fitness/content/unlisted.hpp"
#include "fitness/gpu/gpu_pair.hpp"
#include "fitness/timing/clock.hpp"

namespace ke::gpu {
namespace {

constexpr std::int64_t edited_elements = 1 << 15;
// Enough rows of a bench shape's length for each kind of content to meet many places in a row.
constexpr std::int64_t slim_elements = 1 << 19;
constexpr std::size_t slim_draws = 2;  // per class

/// The number of calls for one sample of `sample_ns`, for kernels that take about `call_ns`.
int calls_of_sample(double call_ns, std::int64_t sample_ns) {
  const double wanted = std::ceil(static_cast<double>(sample_ns) / std::max(call_ns, 1.0));
  return static_cast<int>(std::clamp(wanted, 1.0, 8.0));
}

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
