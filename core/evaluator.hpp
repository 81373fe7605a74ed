#pragma once
// The evaluator interface: compiles, judges and times kernels, here or on another machine.

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_sheet.hpp"
#include "core/evaluation.hpp"
#include "core/job.hpp"
#include "core/result.hpp"

namespace ke {

/// The fact's error when it reports that the task's reference failed.
inline Result<void> reference_health(const Fact& fact) {
  if (fact.reason == reference_failed) return Error{Failure::reference, fact.message};
  return {};
}

/// Description of an evaluator, for keys, provenance and the time budget of jobs in flight.
struct EvaluatorInfo {
  std::string kind;          ///< "cpu", "function", ...
  std::string device_class;  ///< part of measure keys; equal classes share measurements
  std::string toolchain;     ///< part of build keys
  std::int64_t protocol_version = 1;
  std::vector<std::string> capabilities;  ///< a job whose `needs` are not all among them is refused
  std::vector<std::string> workloads;     ///< labels of the bench workloads, for measure keys
  std::vector<std::string> baselines;     ///< opponents that verify jobs accept, by name
  bool noisy = true;                      ///< false: objectives are exact, duels are never needed
  std::int64_t lanes = 1;
  DeviceSheet sheet;  ///< for prompts; empty unless the run uses language models
  KE_CODED(kind, device_class, toolchain, protocol_version, capabilities, workloads, baselines,
           noisy, lanes, sheet)
};

/// Takes jobs and answers each with one Fact. Not thread-safe: one owner calls it.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const EvaluatorInfo& info() const = 0;
  /// Description of the device with index `device`; an evaluator with one device has only one.
  virtual const EvaluatorInfo& device_info(std::size_t /*device*/) const { return info(); }
  /// Queues a job and returns at once. A key already in flight is joined, not run twice. Error: a
  /// need is not among the capabilities.
  virtual Result<void> submit(const Job& job) = 0;
  /// Facts finished since the last call, in any order; waits at most `wait` for the first one.
  virtual std::vector<Fact> poll(std::chrono::milliseconds wait) = 0;
  /// Drops a job if it is still in flight; no Fact follows. Unknown keys are ignored.
  virtual void cancel(const Digest& key) = 0;
  /// An error once the evaluator can answer nothing more; callers then stop polling.
  virtual Result<void> health() const { return {}; }
};

/// Says why the machine refused the job; it says nothing about the kernel.
inline Fact refused_job(const Digest& key, const Error& error) {
  Fact fact;
  fact.key = key;
  fact.reason = "machine";
  fact.message = error.message;
  return fact;
}

}  // namespace ke
