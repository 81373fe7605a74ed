#include "experiments/study/compare/compare_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "experiments/study/compare/inert_arms.hpp"
#include "experiments/study/compare/read_endpoint.hpp"
#include "experiments/study/summary/objective.hpp"

namespace ke {
namespace {

/// The analysis to run, and how it deviates from the preregistered one; "" = it does not.
struct Chosen {
  Analysis analysis;
  std::string exploratory;
};

/// Refuses to mix units: runs of a chain are not replicates of each other, even in exploration.
Result<void> check_unit(const Analysis& declared, const Analysis& chosen) {
  if ((declared.unit == Unit::chain) == (chosen.unit == Unit::chain)) return {};
  return Error{
      Failure::usage,
      declared.unit == Unit::chain
          ? fmt::format("compare: analysis.unit = {}: these runs are chains, in which later "
                        "runs depend on earlier ones; the unit is the chain",
                        to_string(chosen.unit))
          : "compare: analysis.unit = chain: these runs are no chains; a sweep with 'chain: "
            "tasks' makes some"};
}

Result<Chosen> choose(const ComparedRuns& runs, const std::vector<std::string>& overrides) {
  Chosen chosen;
  const std::string declared = runs.index ? runs.index->analysis : "";
  KE_TRY(chosen.analysis, analysis_of_canonical(declared, "analysis", overrides));
  if (chosen.analysis.reference.empty() && !runs.arms.empty()) {
    const std::string first = "reference=" + runs.arms.front();
    std::vector<std::string> with = overrides;
    with.push_back(first);
    KE_TRY(chosen.analysis, analysis_of_canonical(declared, "analysis", with));
  }
  KE_TRY(const Analysis planned, analysis_of_canonical(declared, "analysis", {}));
  KE_TRY_VOID(check_unit(planned, chosen.analysis));
  if (!runs.index) {
    chosen.exploratory = "these runs belong to no sweep: no analysis was declared before them";
  } else if (!runs.index->analysis_is_untouched()) {
    chosen.exploratory = "the analysis in sweep.json was changed after it was hashed";
  } else if (chosen.analysis.hash().hex() != runs.index->analysis_hash) {
    chosen.exploratory = "the analysis differs from the one that was hashed before the runs";
  }
  return chosen;
}

/// The range of objectives, by the device that measured them.
ValueRange objective_range(const ComparedRuns& runs) {
  ValueRange range{0, 1};
  for (const ComparedRun& run : runs.runs) {
    const std::string base = objective_base(run.option("device.kind"), run.header);
    if (base.empty()) return {};
    if (base != "optimum") range.high = ValueRange{}.high;
  }
  return range;
}

Result<void> add_notes(const ComparedRuns& runs, const std::vector<Observation>& observations,
                       ArmComparison& comparison) {
  KE_TRY(auto inert, inert_arms(runs, observations));
  for (std::string& note : inert) comparison.notes.push_back(std::move(note));
  return {};
}

Result<void> check_arms(const ComparedRuns& runs, const Analysis& analysis) {
  std::vector<std::string> wanted = analysis.arms;
  wanted.push_back(analysis.reference);
  for (const std::string& arm : wanted) {
    if (std::find(runs.arms.begin(), runs.arms.end(), arm) != runs.arms.end()) continue;
    return Error{Failure::usage, fmt::format("compare: no arm '{}' here; there are: {}", arm,
                                             fmt::format("{}", fmt::join(runs.arms, ", ")))};
  }
  return {};
}

}  // namespace

Result<ComparisonReport> compare_runs(ComparedRuns& runs, const std::vector<std::string>& overrides,
                                      bool carry_forward) {
  KE_TRY(const Chosen chosen, choose(runs, overrides));
  KE_TRY_VOID(check_arms(runs, chosen.analysis));
  KE_TRY_VOID(check_comparable(runs, chosen.analysis, carry_forward));
  KE_TRY(const auto observations, observe(runs, chosen.analysis));
  ComparisonReport report;
  KE_TRY(report.comparison,
         compare_arms(chosen.analysis, runs.arms, observations, objective_range(runs)));
  KE_TRY(report.main_effects,
         main_effects(runs, chosen.analysis, observations, objective_range(runs)));
  KE_TRY_VOID(add_notes(runs, observations, report.comparison));
  report.provenance = provenance_of(runs);
  if (runs.index) report.labels = runs.index->labels;
  report.shares = shares_of(chosen.analysis, runs.arms, observations);
  report.missing = runs.missing;
  report.currency = runs.currency;
  report.analysis_hash = chosen.analysis.hash().hex();
  report.exploratory = chosen.exploratory;
  report.carried_forward = carry_forward;
  return report;
}

}  // namespace ke
