#pragma once
// Results of a job: the facts as they are journaled, and the evaluation built from them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/codec.hpp"
#include "core/verdict.hpp"

namespace ke {

struct Interval {
  double low = 0;
  double high = 0;
  KE_CODED(low, high)
};

/// One compiler or checker message about the candidate's own file.
struct Diagnostic {
  std::string file;
  std::int64_t line = 0;
  std::int64_t column = 0;
  std::string severity;  ///< error | warning | note
  std::string message;
  KE_CODED(file, line, column, severity, message)
};

/// Result of a direct comparison of two kernels. `undecided` keeps the incumbent.
enum class Decision { none, better, worse, undecided };
constexpr Decision last_value(Decision) { return Decision::undecided; }
constexpr std::string_view to_string(Decision decision) {
  constexpr std::string_view names[] = {"none", "better", "worse", "undecided"};
  return names[static_cast<std::size_t>(decision)];
}

/// Timings from one fresh pair of processes, in the order they were taken.
struct Cluster {
  std::int64_t padding = 0;  ///< bytes of random padding that both arms were re-linked with
  std::string order;         ///< one letter per sample: 'A' = challenger, 'B' = opponent
  std::vector<std::int64_t> samples_ns;  ///< net time of one call, parallel to `order`
  std::vector<std::int64_t> cpu_ns;      ///< the worker's CPU time over the same call
  KE_CODED(padding, order, samples_ns, cpu_ns)
};

/// Timing of one workload in a comparison. speedup = opponent time / challenger time.
struct WorkloadTiming {
  std::string workload;  ///< as `Workload::label()`
  std::string role;
  double speedup = 0;
  Interval ci;              ///< 95 % interval of the speedup
  double candidate_ns = 0;  ///< median time of one call
  double opponent_ns = 0;
  double floor_ns = 0;  ///< compulsory memory traffic in bytes / measured bandwidth; 0 = unknown
  std::vector<Cluster> clusters;
  KE_CODED(workload, role, speedup, ci, candidate_ns, opponent_ns, floor_ns, clusters)
};

/// A challenger timed against an opponent on all workloads of the job.
struct Comparison {
  Decision decision = Decision::none;
  double speedup = 0;     ///< mean over the workloads, as the task says
  Interval ci;            ///< 95 % interval
  double resolvable = 0;  ///< smallest relative gain that this measurement could have detected
  std::vector<WorkloadTiming> workloads;
  KE_CODED(decision, speedup, ci, resolvable, workloads)
};

/// Resources spent on a job.
struct Cost {
  std::int64_t compile_ns = 0;  ///< wall time in the compile pool
  std::int64_t lane_ns = 0;     ///< wall time on the exclusive lane
  std::int64_t judge_cpu_ns = 0;
  KE_CODED(compile_ns, lane_ns, judge_cpu_ns)
};

/// Reason of a `lost` fact when the task's reference failed; the message says how. Then no job of
/// the task can be judged.
inline constexpr std::string_view reference_failed = "reference";

/// Measure of a probe's fact: about how long a call of the opponent takes; 0 = unknown.
inline constexpr const char* call_ns_measure = "call_ns";

/// The permanent result of one job, journaled by the job's key before use.
struct Fact {
  Digest key;
  Verdict verdict = Verdict::lost;
  std::string reason;   ///< short code; "" for ok
  std::string message;  ///< one line for people
  Digest build_hash;    ///< second identity of the kernel; zero = the build failed
  std::map<std::string, double> measures;  ///< descriptor values by axis name
  std::optional<Comparison> comparison;    ///< for screen, duel and verify jobs
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> policy_flags;  ///< e.g. below_floor, optimize_pragma
  std::string feedback;                   ///< JSON record for operators, at most 4 KiB
  Cost cost;

  KE_CODED(key, verdict, reason, message, build_hash, measures, comparison, diagnostics,
           policy_flags, feedback, cost)
};

/// The search's data on one candidate at its commit.
struct Evaluation {
  Verdict verdict = Verdict::lost;
  std::string reason;
  std::string message;
  Digest build_hash;
  double objective = 0;  ///< maximised; the speedup over the anchor, or a function's value
  Interval interval;     ///< 95 % interval of the objective
  std::map<std::string, double> measures;
  std::string feedback;
  std::vector<Diagnostic> diagnostics;
  bool measured = false;   ///< counts as one evaluation of the budget
  double floor_share = 0;  ///< see role_figure.hpp; 0 = unknown, or read from a store

  /// Takes the verdict of a fact, what explains it, and the feedback.
  void take(const Fact& fact) {
    verdict = fact.verdict;
    reason = fact.reason;
    message = fact.message;
    feedback = fact.feedback;
    diagnostics = fact.diagnostics;
  }
};

}  // namespace ke
