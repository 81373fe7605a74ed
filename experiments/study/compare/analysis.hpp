#pragma once
// Preregistered analysis of a comparison: written down and hashed before the runs begin.

#include <cstdint>
#include <string>
#include <vector>

#include "core/hash.hpp"
#include "core/params.hpp"
#include "core/result.hpp"

namespace ke {

/// The figure read from each run.
enum class Endpoint {
  best_seen,
  best_verified_speedup,
  qd_score,
  coverage,
  auc,
  evaluations_to_target
};
/// The sampling unit that conclusions generalise over.
enum class Unit { task, device, seed, chain };
enum class TestKind { paired_hierarchical_bootstrap, wilcoxon, mann_whitney };
/// How to combine the seeds of one task on one device into one value.
enum class Reduction { mean, median, iqm };

std::string_view to_string(Endpoint endpoint);
std::string_view to_string(Unit unit);
std::string_view to_string(TestKind test);

/// The `analysis:` block. read_analysis states defaults, ranges and docs.
struct Analysis {
  Endpoint endpoint = Endpoint::best_seen;
  bool log_scale = false;         ///< effects are ratios; false: differences
  bool larger_is_better = true;   ///< false for evaluations_to_target
  std::string reference;          ///< arm that the others are compared with
  std::vector<std::string> arms;  ///< arms to compare with it; empty = all others
  Unit unit = Unit::task;
  TestKind test = TestKind::paired_hierarchical_bootstrap;
  Reduction reduce = Reduction::mean;
  bool holm = true;
  double alpha = 0.05;
  double min_effect = 0;  ///< smallest effect of interest: a ratio of 1 + x, or a difference of x
  double target = 0;      ///< target objective of evaluations_to_target
  std::string baseline;   ///< baseline of best_verified_speedup
  std::string role;       ///< role of its workloads
  std::int64_t repetitions = 2000;
  /// Sorted `analysis.key = value` lines, defaults included.
  std::string canonical_text;

  Digest hash() const { return sha256(canonical_text); }
};

/// The endpoint in words: "coverage", "best verified speedup over naive".
std::string endpoint_words(const Analysis& analysis);

/// Reads the section `analysis` of `top`. Errors go to the log behind `top`.
Analysis read_analysis(Params& top);

/// Reads an analysis alone from `analysis.key = value` lines, then applies the overrides.
Result<Analysis> analysis_of_canonical(const std::string& canonical, const std::string& place,
                                       const std::vector<std::string>& overrides);

}  // namespace ke
