#pragma once
// The lane of evaluators that time kernels on this CPU.

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "core/params.hpp"
#include "fitness/host/bandwidth.hpp"
#include "fitness/host/bench.hpp"
#include "fitness/host/built.hpp"
#include "fitness/host/check.hpp"
#include "fitness/job_queues.hpp"
#include "fitness/judging/judge.hpp"
#include "fitness/sandbox/spec.hpp"

namespace ke {

/// The constants of the protocol; options of the evaluator.
struct CpuRules : JudgingRules {
  CpuRules() { duel.prior = {.spread = 0.006, .degrees = default_prior_degrees}; }
  std::int64_t screen_ns = 40'000'000;    ///< target for the calls of one screen
  std::int64_t cluster_ns = 150'000'000;  ///< target for the calls of one cluster of a duel
};

/// Padding of the library for checks, which are not timed.
inline constexpr std::uint64_t check_padding = 0;

using CpuArms = JobArms<Built>;

class CpuJudge final : public TimedDevice {
 public:
  /// All arguments are borrowed. `closing` ends long jobs early.
  CpuJudge(const Bench& bench, Libraries& libraries, const CpuRules& rules,
           const std::atomic<bool>& closing)
      : bench_(bench), libraries_(libraries), rules_(rules), closing_(closing) {}

  /// Fills verdict, comparison, feedback and cost of a fact whose candidate is built.
  Result<void> run(const Job& job, const CpuArms& arms, Fact& fact);

  const Task& task() const override { return *bench_.task; }
  Result<CheckReport> check(Thoroughness thoroughness) override;
  Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) override;
  Result<FreshContent> content(const Workload& workload) override;
  Result<SamplePlan> plan(const std::vector<const Workload*>& on) override;
  Result<PairResult> pair(const std::vector<TimedWorkload>& plan) override;
  Result<MemoryRate> memory_rate() override;
  Result<double> opponent_ns(const Workload& workload) override;
  SecretRandom& random() override { return bench_.contents->random(); }

 private:
  using CallTimes = std::map<std::string, double>;

  Result<Library> library(const BuiltPtr& built, std::uint64_t padding);
  int quads_for(const TimedWorkload& timed, const double (&call_ns)[2], std::size_t bytes,
                std::size_t workloads) const;
  Result<const CallTimes*> call_times(const BuiltPtr& built,
                                      const std::vector<const Workload*>& on);
  void draw_paddings();
  void learn_times(const std::vector<TimedWorkload>& plan, const PairResult& result);

  const Bench& bench_;
  Libraries& libraries_;
  CpuRules rules_;
  const std::atomic<bool>& closing_;
  Bandwidth bandwidth_;
  std::map<Digest, CallTimes> call_ns_;  ///< by build hash
  // State of the current job:
  JobKind kind_ = JobKind::screen;
  CpuArms arms_;
  std::optional<OpenCheck> wrong_check_;  ///< a check whose last call was wrong
  std::uint64_t paddings_[2] = {0, 0};    ///< for the next pair, by arm
};

/// Options of these evaluators; `read` declares them.
struct CpuOptions {
  std::string tools_dir;     ///< folder of kernelevolve-worker and kernelevolve-sandbox
  std::string cache_folder;  ///< for builds; "" = none
  std::string scratch = "/tmp";
  std::string sandbox = "auto";  ///< requested level; the caller probes it and sets `level`
  SandboxLevel level = SandboxLevel::namespaces;
  std::int64_t compile_threads = 0;  ///< 0 = all processors but the lane's, at least one
  std::int64_t lane_core = -1;       ///< -1 = the last processor this process may use
  bool cold = false;  ///< whether timed calls find their tensors in memory only, not in the
                      ///< last-level cache
  std::vector<std::string> readable;  ///< files that trusted baselines may open; not an option
  std::shared_ptr<const PythonHome> python;  ///< runs Python baselines; not an option
  std::string compiler = "/usr/bin/g++";
  std::int64_t call_limit_ms = 2000;
  std::int64_t load_limit_ms = 2000;
  CpuRules rules;
  bool sheet = false;  ///< whether info() holds a device sheet; not an option
  /// Called by the lane's thread with lines for people; may be null; not an option.
  std::function<void(const std::string& line)> tell = nullptr;

  static CpuOptions read(Params& device);
};

/// The processors that this process may use: the lane's times kernels, the others compile them.
struct CoreUse {
  int lane = 0;
  std::vector<int> others;
  std::int64_t compile_threads = 1;
};
CoreUse divide_cores(const CpuOptions& options);

/// All members are borrowed.
struct Lane {
  const Task& task;
  const Reference& reference;
  const CpuOptions& options;
  Libraries& libraries;
  std::shared_mutex& machine;  ///< held while a task with threads is timed
};

/// Judges ready jobs until the queues close. For a task of one thread, reserves `core`; for other
/// tasks the machine. Other processes that judge on it wait in turn.
void serve_lane(JobQueues<CpuArms>& queues, const Lane& lane, int core);

}  // namespace ke
