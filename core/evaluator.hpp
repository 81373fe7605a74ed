#pragma once
// The evaluator interface: everything that compiles, judges and times, here or elsewhere.

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

/// The error of a fact that says how the task's reference failed.
inline Result<void> reference_health(const Fact& fact) {
  if (fact.reason == reference_failed) return Error{Failure::reference, fact.message};
  return {};
}

/// What an evaluator is, for keys, provenance and the budget of time in flight.
struct EvaluatorInfo {
  std::string kind;          ///< "cpu", "function", ...
  std::string device_class;  ///< part of measure keys; equal classes share measurements
  std::string toolchain;     ///< part of build keys
  std::int64_t protocol_version = 1;
  std::vector<std::string> capabilities;  ///< jobs whose `needs` are not among them are refused
  std::vector<std::string> workloads;     ///< labels of the bench workloads, for measure keys
  std::vector<std::string> baselines;     ///< names that verify jobs accept as opponents
  bool noisy = true;                      ///< false: objectives are exact, duels are never needed
  std::int64_t lanes = 1;
  DeviceSheet sheet;  ///< for prompts; empty unless a run asks language models
  void encode(Encoder& out) const {
    out(kind)(device_class)(toolchain)(protocol_version)(capabilities)(workloads)(baselines)(noisy);
    out(lanes)(sheet);
  }
  void decode(Decoder& in) {
    in(kind)(device_class)(toolchain)(protocol_version)(capabilities)(workloads)(baselines)(noisy);
    in(lanes)(sheet);
  }
};

/// Takes jobs and answers each with one Fact. Not thread-safe: one owner calls it.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual const EvaluatorInfo& info() const = 0;
  /// Of the device that `Job::device` counts; an evaluator of one device knows no other.
  virtual const EvaluatorInfo& device_info(std::size_t /*device*/) const { return info(); }
  /// Queues a job and returns at once. A key already in flight is joined, not run twice.
  /// Error when a need is not among the capabilities.
  virtual Result<void> submit(const Job& job) = 0;
  /// Facts finished since the last call, in any order; waits up to `wait` for the first one.
  virtual std::vector<Fact> poll(std::chrono::milliseconds wait) = 0;
  /// Drops a job if it is still in flight; no Fact follows. Unknown keys are ignored.
  virtual void cancel(const Digest& key) = 0;
  /// An error once nothing more can be expected of the evaluator; whoever polls stops on it.
  virtual Result<void> health() const { return {}; }
};

}  // namespace ke
