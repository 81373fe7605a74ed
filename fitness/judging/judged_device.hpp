#pragma once
// What the judging protocol asks of a device. A device answers for one job at a time: arm 0 is the
// candidate, arm 1 the opponent.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/job.hpp"
#include "core/result.hpp"
#include "fitness/content/content_pool.hpp"
#include "fitness/judging/finding.hpp"
#include "fitness/judging/pair_result.hpp"
#include "fitness/memory_floor.hpp"
#include "fitness/task.hpp"

namespace ke {

/// A call whose outputs were wrong.
struct WrongCall {
  Workload workload;
  FreshContent content;
};

/// What a check of the candidate gave.
struct CheckReport {
  std::optional<Finding> finding;                ///< the first thing that went wrong
  std::optional<WrongCall> wrong;                ///< the call, where `finding` is a mismatch
  double margin = -1;                            ///< largest error used / allowed, < 0 = unknown
  std::map<std::string, double> preparation_ns;  ///< least by bench workload; of some kernels
  bool unchecked_registers = false;  ///< the system let nobody see where and how it stopped
};

/// How much a check covers.
enum class Thoroughness {
  sampled,  ///< all test and bench shapes, one of the others, drawn anew each time
  full,     ///< every shape, and some that stand in no list where the device can
};

/// All test and bench shapes; of the others all or one.
std::vector<const Workload*> checked_workloads(const Task& task, Thoroughness thoroughness,
                                               SecretRandom& random);

/// What a check of that thoroughness draws shapes for.
inline JobKind purpose_of(Thoroughness thoroughness) {
  return thoroughness == Thoroughness::full ? JobKind::verify : JobKind::screen;
}

/// Errors are the machine's; what is wrong with an arm is a finding.
class JudgedDevice {
 public:
  virtual ~JudgedDevice() = default;
  virtual const Task& task() const = 0;
  /// The candidate's next call is made by a process in which no kernel ran before. Nothing to do
  /// for devices that start one for every check and pair.
  virtual void renew_process() {}
  /// Calls the candidate on secret contents and compares every output.
  virtual Result<CheckReport> check(Thoroughness thoroughness) = 0;
  /// Calls an arm once on the contents of a wrong call; the candidate in the process where that
  /// call was wrong, if the device keeps it.
  virtual Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) = 0;
};

/// A device whose figures are samples of a clock.
class TimedDevice : public JudgedDevice {
 public:
  /// Decides how each workload is sampled. Findings of arms that had to be called for it.
  virtual Result<SamplePlan> plan(const std::vector<const Workload*>& on) = 0;
  /// Measures one cluster: both arms, interleaved, in fresh processes or freshly loaded.
  virtual Result<PairResult> pair(const std::vector<TimedWorkload>& plan) = 0;
  /// The memory's rate, for floors. It refers to the device.
  virtual Result<MemoryRate> memory_rate() = 0;
  virtual SecretRandom& random() = 0;
};

/// A device whose figures are counts, equal whenever they are taken.
class ExactDevice : public JudgedDevice {
 public:
  /// Costs of an arm at the workloads, or what is wrong with it.
  virtual Result<std::optional<Finding>> costs(int arm, const std::vector<const Workload*>& on,
                                               std::vector<double>& costs) = 0;
};

}  // namespace ke
