#pragma once
// The interface of a device to the judging protocol. A device handles one job at a time: arm 0 is
// the candidate, arm 1 the opponent.

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

/// The result of checking the candidate.
struct CheckReport {
  std::optional<Finding> finding;  ///< the first failure
  std::optional<WrongCall> wrong;  ///< the call, where `finding` is a mismatch
  double margin = -1;              ///< largest error used / allowed, < 0 = unknown
  std::map<std::string, double>
      preparation_ns;                ///< least time by bench workload; some kernels only
  bool unchecked_registers = false;  ///< the system hid where and how the process stopped
};

/// How much a check covers.
enum class Thoroughness {
  sampled,  ///< all test and bench shapes, plus one random shape of the other roles
  full,     ///< every shape, plus unlisted ones where the device can
};

/// Whether a job's `roles` mean the workload, by its role or its label.
bool is_timed(const Job& job, const Workload& workload);

/// All test and bench shapes; plus all other shapes, or a random one of them.
std::vector<const Workload*> checked_workloads(const Task& task, Thoroughness thoroughness,
                                               SecretRandom& random);

/// The job kind whose shapes a check of that thoroughness draws.
inline JobKind purpose_of(Thoroughness thoroughness) {
  return thoroughness == Thoroughness::full ? JobKind::verify : JobKind::screen;
}

/// Errors mean that the machine failed; a failure of an arm is a finding.
class JudgedDevice {
 public:
  virtual ~JudgedDevice() = default;
  virtual const Task& task() const = 0;
  /// Makes sure that the candidate's next call runs in a process in which no kernel ran before.
  /// Devices that start a process for every check and pair do nothing.
  virtual void renew_process() {}
  /// Calls the candidate on secret contents and compares every output.
  virtual Result<CheckReport> check(Thoroughness thoroughness) = 0;
  /// Calls an arm once on the contents of a wrong call. The candidate runs in the process of that
  /// call, if the device keeps it.
  virtual Result<std::optional<Finding>> call(int arm, const WrongCall& wrong) = 0;
  /// Ordinary secret inputs of a workload, for a call outside of a check.
  virtual Result<FreshContent> content(const Workload& workload) = 0;
  /// About how long a call of the opponent takes; 0 where finding out would take long.
  virtual Result<double> opponent_ns(const Workload& /*workload*/) { return 0.0; }
};

/// A device that measures with a clock.
class TimedDevice : public JudgedDevice {
 public:
  /// Decides how each workload is sampled. Reports findings of arms that it calls for that.
  virtual Result<SamplePlan> plan(const std::vector<const Workload*>& on) = 0;
  /// Measures one cluster: both arms, interleaved, in fresh processes or freshly loaded.
  virtual Result<PairResult> pair(const std::vector<TimedWorkload>& plan) = 0;
  /// Bytes a second that the memory moves at most, from which the least time of a call follows.
  /// The result must not outlive the device.
  virtual Result<MemoryRate> memory_rate() = 0;
  virtual SecretRandom& random() = 0;
};

/// A device that counts: every measurement gives the same figure.
class ExactDevice : public JudgedDevice {
 public:
  /// Sets `costs` to those of an arm at the workloads, or returns a finding about the arm.
  virtual Result<std::optional<Finding>> costs(int arm, const std::vector<const Workload*>& on,
                                               std::vector<double>& costs) = 0;
};

}  // namespace ke
