#pragma once
// Formats a comparison as terminal table, JSON, CSV and LaTeX.

#include <map>
#include <optional>
#include <string>

#include "experiments/study/compare/caption.hpp"
#include "experiments/study/compare/main_effects.hpp"
#include "experiments/study/compare/power_plan.hpp"
#include "experiments/study/compare/repeated_answers.hpp"
#include "experiments/study/compare/shares.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Everything that is printed for one comparison.
struct ComparisonReport {
  ArmComparison comparison;
  Provenance provenance;
  Shares shares;
  std::vector<std::string> missing;
  std::string currency;
  std::string analysis_hash;
  std::string exploratory;  ///< why the analysis is not the declared one; "" = it is
  bool carried_forward = false;
  std::map<std::string, std::string>
      labels;                               ///< of arms, for LaTeX; an arm without one has its name
  std::vector<FactorEffects> main_effects;  ///< empty unless the sweep is factorial
  std::optional<PowerPlan> power;
  std::vector<ArmScatter> repeats;  ///< arms whose prompts were answered several times
};

/// Column names of ArmFigures::fast: fast_1, ...; empty if that is empty.
std::vector<std::string> fast_columns(const ArmComparison& comparison);

/// Whether any arm has a SOL score.
bool has_sol(const ArmComparison& comparison);

/// "0.0312", "<0.0001", or "-" where there is none.
std::string p_text(const std::optional<double>& p);

std::string text_of(const ComparisonReport& report);
Json json_of(const ComparisonReport& report);
Json json_of(const PowerPlan& plan);
Json json_of(const std::vector<ArmScatter>& arms);
/// Writes one line per arm: its figures and its contrast with the reference.
std::string csv_of(const ComparisonReport& report);
/// A table in booktabs style with its caption, as wide as one column of two: intervals stand below
/// their values. More arms than fit a page go on in further tables.
std::string latex_of(const ComparisonReport& report);
/// Likewise of each arm's mean on each task, the best of a task in bold; as wide as both columns
/// from five arms on.
std::string latex_by_task(const ComparisonReport& report);

}  // namespace ke
