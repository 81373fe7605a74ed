#include "fitness/host/lane.hpp"

#include <algorithm>
#include <mutex>

#include "fitness/content/contents.hpp"
#include "fitness/host/host.hpp"
#include "fitness/host/lane_lock.hpp"
#include "fitness/host/pair.hpp"
#include "fitness/timing/robust.hpp"

namespace ke {
namespace {

constexpr std::uint64_t paddings = 64;  // cache lines in front of the code
constexpr std::size_t known_times = 4096;
constexpr double judged_bytes_per_ns = 3;  // approximate rate of filling, poisoning and comparing

constexpr int warming_calls = 10;  // for a Python baseline, whose first calls are slow

double empty_ns(Session& session) {
  double least = 1e12;
  for (int i = 0; i < 5; ++i) {
    least = std::min(least, static_cast<double>(session.empty_round(0)));
  }
  return least;
}

}  // namespace

Result<void> CpuJudge::run(const Job& job, const CpuArms& arms, Fact& fact) {
  kind_ = job.kind;
  arms_ = arms;
  if (arms.opponent && job.kind != JobKind::probe) draw_paddings();
  const Result<void> done = judge(*this, rules_, closing_, JudgedJob(job, arms, fact));
  wrong_check_.reset();
  return done;
}

Result<Library> CpuJudge::library(const BuiltPtr& built, std::uint64_t padding) {
  Library library{"", built->trusted, built->prepares, built->launches, built->python};
  if (!built->python.empty()) {
    library.bytes = built->object;
    return library;
  }
  KE_TRY(library.bytes, libraries_.link(built, padding));
  return library;
}

// Draws new paddings and links the next pair ahead, while the judge is busy.
void CpuJudge::draw_paddings() {
  for (std::uint64_t& padding : paddings_) padding = random().below(paddings);
  libraries_.ahead(arms_.candidate, paddings_[0]);
  if (arms_.opponent->python.empty()) libraries_.ahead(arms_.opponent, paddings_[1]);
}

Result<CheckReport> CpuJudge::check(Thoroughness thoroughness) {
  KE_TRY(const Library checked, library(arms_.candidate, check_padding));
  KE_TRY(OpenCheck check, check_kernel(bench_, checked, thoroughness));
  if (call_ns_.size() > known_times) call_ns_.clear();
  for (const auto& [label, ns] : check.call_ns) call_ns_[arms_.candidate->build_hash][label] = ns;
  CheckReport report = check.report;
  if (report.wrong) wrong_check_.emplace(std::move(check));
  return report;
}

Result<std::optional<Finding>> CpuJudge::call(int arm, const WrongCall& wrong) {
  if (arm == 0) return wrong_check_->again();
  wrong_check_.reset();  // frees its memory
  KE_TRY(const Library other, library(arms_.opponent, check_padding));
  return call_once(bench_, other, wrong);
}

Result<FreshContent> CpuJudge::content(const Workload& workload) {
  KE_TRY(ContentPool* const pool, bench_.contents->plain(workload));
  return pool->fresh();
}

// Call times for planning, from three calls each in a separate process. No content comes twice: a
// kernel that knows it again would seem so fast that new contents do not last for its samples.
Result<const CpuJudge::CallTimes*> CpuJudge::call_times(const BuiltPtr& built,
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
    const int calls = built->python.empty() ? 3 : warming_calls;
    for (int call = 0; call < calls && best > 1e-3; ++call) {
      const std::size_t next = static_cast<std::size_t>(call) % pool->entries().size();
      const Placed placed{{static_cast<int>(i), 0, Side::start}, pool->fresh(next)};
      session.place({&placed, 1});
      const Sample sample = session.run(0, {&placed, 1}, *missing[i], {.limit_ns = 60'000'000'000});
      if (sample.finding) return &known;  // the pair will report the failure
      best = std::min(best, static_cast<double>(sample.span_ns));
      // The first call may load a library, so its time is not typical.
      if (call > 0 && best > 2e7) break;
    }
    // A Python process takes long to stop; kernels of a few microseconds need many calls.
    if (!built->python.empty()) best = std::max(best - empty_ns(session), 1.0);
    known[missing[i]->label] = best;
  }
  return &known;
}

// The workloads share the quads of a cluster. Slow calls get fewer quads: one of their samples is
// long already, and a candidate far behind is not worth a minute of the lane.
int CpuJudge::quads_for(const TimedWorkload& timed, const double (&call_ns)[2], std::size_t bytes,
                        std::size_t workloads) const {
  const int shares = static_cast<int>(workloads);
  const double quad_ns =
      2.2 * timed.rounds * (timed.calls[0] * call_ns[0] + timed.calls[1] * call_ns[1]);
  const auto fitting = [&](std::int64_t goal_ns, double cost_ns, int least, int most) {
    const double count = static_cast<double>(goal_ns) / (shares * cost_ns);
    return static_cast<int>(std::clamp(count, double(least), double(std::max(least, most))));
  };
  if (kind_ == JobKind::screen)
    return fitting(rules_.screen_ns, quad_ns, 1, 1 + std::max(rules_.screen_quads / shares, 2));
  const int most = 1 + std::max(rules_.duel_quads / shares, 4);
  if (kind_ == JobKind::duel) return fitting(rules_.cluster_ns, quad_ns, 1, most);
  const double calls = 2.2 * timed.rounds * (timed.calls[0] + timed.calls[1]);
  const double judged_ns = quad_ns + calls * static_cast<double>(bytes) / judged_bytes_per_ns;
  return fitting(rules_.verify_ns / rules_.verify_clusters, judged_ns, 1, most);
}

Result<SamplePlan> CpuJudge::plan(const std::vector<const Workload*>& on) {
  KE_TRY(const CallTimes* candidate, call_times(arms_.candidate, on));
  KE_TRY(const CallTimes* opponent, call_times(arms_.opponent, on));
  SamplePlan plan;
  for (const Workload* workload : on) {
    KE_TRY(const ContentPool* const pool, bench_.contents->plain(*workload));
    const auto find = [&](const CallTimes& times) {
      const auto found = times.find(workload->label);
      return found == times.end() ? 1e6 : found->second;
    };
    const auto bytes = static_cast<std::size_t>(pool->shapes().bytes());
    const double call_ns[2] = {find(*candidate), find(*opponent)};
    TimedWorkload timed = plan_samples(*workload, call_ns, bytes, bench_.arena_bytes / on.size());
    timed.call_limit_ns =
        bench_.call_limit_ns + static_cast<std::int64_t>(20 * std::max(call_ns[0], call_ns[1]));
    timed.quads = quads_for(timed, call_ns, bytes, on.size());
    plan.workloads.push_back(timed);
  }
  return plan;
}

Result<PairResult> CpuJudge::pair(const std::vector<TimedWorkload>& plan) {
  // Memory placement is random too: without renewal, all clusters of a verification share one draw.
  if (kind_ == JobKind::verify) bench_.memory->renew();
  const std::uint64_t padding = paddings_[0];
  KE_TRY(const Library challenger, library(arms_.candidate, padding));
  KE_TRY(const Library opponent, library(arms_.opponent, paddings_[1]));
  draw_paddings();
  KE_TRY(PairResult result, measure_pair(bench_, challenger, opponent, plan));
  result.padding = static_cast<std::int64_t>(padding * 64);
  if (!result.challenger && !result.opponent) learn_times(plan, result);
  return result;
}

// Plans need the time of a call inside a sample; a single call of a check, or the best of many, is
// a different figure.
void CpuJudge::learn_times(const std::vector<TimedWorkload>& plan, const PairResult& result) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    for (const char arm : {'A', 'B'}) {
      const Built& built = arm == 'A' ? *arms_.candidate : *arms_.opponent;
      call_ns_[built.build_hash][plan[i].workload->label] =
          std::max(median_ns({&result.clusters[i], 1}, arm), 1.0);
    }
  }
}

Result<double> CpuJudge::opponent_ns(const Workload& workload) {
  KE_TRY(const CallTimes* times, call_times(arms_.opponent, {&workload}));
  const auto found = times->find(workload.label);
  return found == times->end() ? 0 : found->second;
}

Result<MemoryRate> CpuJudge::memory_rate() {
  return MemoryRate([this](std::int64_t bytes) {
    return bandwidth_.bytes_per_ns(static_cast<std::size_t>(bytes));
  });
}

namespace {

Bench bench_of(const Task& task, const CpuOptions& options) {
  Bench bench;
  bench.task = &task;
  bench.tools_dir = options.tools_dir;
  bench.scratch = options.scratch;
  bench.level = options.level;
  bench.load_limit_ns = options.load_limit_ms * 1'000'000;
  bench.cold = options.cold;
  bench.readable = options.readable;
  bench.python = options.python.get();
  bench.call_limit_ns = options.call_limit_ms * 1'000'000;
  return bench;
}

}  // namespace

CpuOptions CpuOptions::read(Params& device) {
  CpuOptions options;
  options.compile_threads = device.integer(
      "compile_threads", 0, {0, 256}, "compilers at a time; 0 = all processors but the lane's");
  options.lane_core = device.integer("lane_core", -1, {-1, 4095},
                                     "processor that times kernels; -1 = the last one");
  options.sandbox = device.choice("sandbox", "auto", {"auto", "namespaces", "landlock", "rlimits"},
                                  "walls around compilers and kernels; auto = the strongest");
  options.cold = device.choice("cache", "llc", {"llc", "cold"},
                               "where tensors lie when a timed call begins: as filling them left "
                               "them in the last-level cache, or in memory alone") == "cold";
  options.compiler = device.text("compiler", "/usr/bin/g++", "path of g++");
  options.call_limit_ms = device.duration_ms("call_limit", "2s", {10, 600'000},
                                             "time for one call, beside 20 times the opponent's");
  options.load_limit_ms =
      device.duration_ms("load_limit", "2s", {10, 600'000}, "time for loading a kernel's library");
  options.rules.read(device, 4, "4s");
  return options;
}

CoreUse divide_cores(const CpuOptions& options) {
  CoreUse use;
  use.others = usable_cores();
  use.lane = static_cast<int>(options.lane_core);
  if (use.lane < 0) use.lane = use.others.empty() ? 0 : use.others.back();
  use.compile_threads = options.compile_threads;
  if (use.compile_threads == 0) {
    use.compile_threads = std::max<std::int64_t>(std::ssize(use.others) - 1, 1);
  }
  std::erase(use.others, use.lane);
  return use;
}

void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core) {
  Watchdog watchdog;  // before the lane reserves its core
  // At the level rlimits a candidate may leave a process behind that still writes.
  MemoryPool memory(lane.options.level != SandboxLevel::rlimits);
  const bool alone = lane.task.threads > 1;
  if (!alone) {
    bind_thread({core});
    prefer_thread();
  }
  auto contents = Contents::create(lane.task, lane.reference);
  Bench bench = bench_of(lane.task, lane.options);
  bench.watchdog = &watchdog;
  bench.memory = &memory;
  if (contents) bench.contents = &*contents;
  const auto python_folder = JobFolder::create(lane.options.scratch);
  if (python_folder) bench.python_folder = &*python_folder;
  CpuJudge judge(bench, lane.libraries, lane.options.rules, queues.closing());
  serve_ready(queues, [&](const Job& job, const CpuArms& arms, Fact& fact) -> Result<void> {
    std::unique_lock machine(lane.machine, std::defer_lock);
    if (alone) machine.lock();
    const LaneLock turn(alone ? -1 : core, queues.closing(), lane.options.tell);
    if (!contents) return contents.error();
    if (!python_folder) return python_folder.error();
    KE_TRY_VOID(judge.run(job, arms, fact));
    return lane.reference.health();
  });
  lane.reference.leave();
}

}  // namespace ke
