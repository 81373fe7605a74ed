#pragma once
// Judges one kernel outside a search, for tests and benchmarks.

#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/result.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"

namespace ke {

/// What of a kernel is judged.
enum class EvalParts { all, correctness, timing };

struct EvalRequest {
  Kernel kernel;
  Opponent against{"naive", std::nullopt};
  EvalParts parts = EvalParts::all;
};

/// A verdict with the figures of a comparison; zeros where nothing was timed.
struct EvalReport {
  Verdict verdict = Verdict::lost;
  std::string reason;
  std::string message;
  double speedup = 0;      ///< opponent time / candidate time over the bench workloads
  Interval ci;             ///< 95 %
  double baseline_ns = 0;  ///< geometric means over the bench workloads of one call
  double candidate_ns = 0;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> policy_flags;
  std::string feedback;
  std::optional<Comparison> comparison;
};

/// A kernel of a source at its declared defaults; `extra_flags` come after the declared ones.
/// Error: declarations that cannot be read.
Result<Kernel> kernel_of_source(const std::string& name, const std::string& source,
                                const std::vector<std::string>& extra_flags);

/// Judges correctness on every shape, then times against the opponent in fresh processes (as a
/// verification does). Errors are the machine's.
Result<EvalReport> judge_kernel(CpuEvaluator& evaluator, const EvalRequest& request);

}  // namespace ke
