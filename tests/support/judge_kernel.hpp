#pragma once
// Judges one kernel outside a search, for tests and benchmarks.

#include <optional>
#include <string>
#include <vector>

#include "core/evaluation.hpp"
#include "core/result.hpp"
#include "fitness/cpu/cpu_evaluator.hpp"

namespace ke {

/// The parts of a kernel to judge.
enum class EvalParts { all, correctness, timing };

struct EvalRequest {
  Kernel kernel;
  Opponent against{"naive", std::nullopt};
  EvalParts parts = EvalParts::all;
};

/// A verdict with the figures of a comparison; zeros if nothing was timed.
struct EvalReport {
  Verdict verdict = Verdict::lost;
  std::string reason;
  std::string message;
  double speedup = 0;      ///< opponent time / candidate time over the bench workloads
  Interval ci;             ///< 95 %
  double baseline_ns = 0;  ///< geometric means of one call over the bench workloads
  double candidate_ns = 0;
  std::vector<Diagnostic> diagnostics;
  std::vector<std::string> policy_flags;
  std::string feedback;
  std::optional<Comparison> comparison;
};

/// Makes a kernel of a source, with its declared defaults and `extra_flags` after the declared
/// flags. Error: the declarations cannot be read.
Result<Kernel> kernel_of_source(const std::string& name, const std::string& source,
                                const std::vector<std::string>& extra_flags);

/// Judges correctness on every shape, then times the kernel against the opponent in fresh
/// processes, like a verification. Errors: the machine fails.
Result<EvalReport> judge_kernel(CpuEvaluator& evaluator, const EvalRequest& request);

}  // namespace ke
