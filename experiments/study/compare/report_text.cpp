#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/study/compare/contrast.hpp"
#include "experiments/study/compare/report.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

std::string interval(const Figure& figure) {
  if (!std::isfinite(figure.low) || !std::isfinite(figure.high)) return "unbounded";
  return fmt::format("{:.4g} .. {:.4g}", figure.low, figure.high);
}

/// Explains the column `sol`.
std::string sol_text(const ArmComparison& comparison) {
  if (!has_sol(comparison)) return {};
  std::size_t scored = 0, runs = 0;
  for (const ArmFigures& arm : comparison.arms) {
    scored += arm.sol_runs;
    runs += arm.runs;
  }
  return fmt::format(
      "sol: SOL score, 0.5 at the speed of {}, 1 at what the measured bandwidth and peak allow; {} "
      "of {} runs have one\n",
      comparison.analysis.baseline, scored, runs);
}

std::string arms_table(const ArmComparison& comparison) {
  const bool to_target = comparison.analysis.endpoint == Endpoint::evaluations_to_target;
  std::vector<std::string> head = {"arm", "tasks", "runs", "mean", "interval", "median", "iqm"};
  if (to_target) head.insert(head.end(), {"censored", "ert"});
  for (std::string& name : fast_columns(comparison)) head.push_back(std::move(name));
  if (has_sol(comparison)) head.emplace_back("sol");
  Table table(head);
  for (const ArmFigures& arm : comparison.arms) {
    std::vector<std::string> row = {arm.name,
                                    std::to_string(arm.tasks),
                                    std::to_string(arm.runs),
                                    fmt::format("{:.4g}", arm.mean.value),
                                    interval(arm.mean),
                                    fmt::format("{:.4g}", arm.median),
                                    fmt::format("{:.4g}", arm.iqm)};
    if (to_target) {
      row.push_back(std::to_string(arm.censored));
      row.push_back(arm.expected_running_time ? fmt::format("{:.4g}", *arm.expected_running_time)
                                              : "-");
    }
    for (const double share : arm.fast) row.push_back(fmt::format("{:.0f} %", 100 * share));
    if (has_sol(comparison)) row.push_back(arm.sol ? fmt::format("{:.3f}", *arm.sol) : "-");
    table.add(row);
  }
  return table.text() + sol_text(comparison);
}

/// Speedups by group of tasks, where there are several.
std::string groups_text(const ArmComparison& comparison) {
  std::vector<std::string> head = {"group", "arm", "tasks", "mean"};
  for (std::string& name : fast_columns(comparison)) head.push_back(std::move(name));
  Table table(head);
  bool any = false;
  for (std::size_t g = 0; !comparison.arms.empty() && g < comparison.arms[0].groups.size(); ++g) {
    for (const ArmFigures& arm : comparison.arms) {
      const GroupFigures& group = arm.groups.at(g);
      std::vector<std::string> row = {group.name, arm.name, std::to_string(group.tasks),
                                      group.tasks == 0 ? "-" : fmt::format("{:.4g}", group.mean)};
      for (const double share : group.fast) row.push_back(fmt::format("{:.0f} %", 100 * share));
      table.add(row);
      any = true;
    }
  }
  return any ? "\nBy category of the tasks:\n" + table.text() : "";
}

std::string contrasts_table(const ArmComparison& comparison) {
  const Analysis& a = comparison.analysis;
  Table table({"arm against " + a.reference, "units", a.log_scale ? "ratio" : "difference",
               "interval", "p", "p adjusted", "p equal", "A12", "conclusion"});
  for (const Contrast& c : comparison.contrasts) {
    table.add({c.arm, std::to_string(c.units), fmt::format("{:.4g}", c.effect.value),
               interval(c.effect), p_text(c.p), p_text(c.p_adjusted), p_text(c.p_equivalence),
               fmt::format("{:.2f}", c.a12), std::string(to_string(c.conclusion))});
  }
  return table.text();
}

std::string ranks_text(const ArmComparison& comparison) {
  if (!comparison.ranks) return {};
  Table table({"arm", "average rank"});
  for (std::size_t i = 0; i < comparison.rank_arms.size(); ++i) {
    table.add({comparison.rank_arms[i], fmt::format("{:.2f}", comparison.ranks->average_ranks[i])});
  }
  return fmt::format(
      "\nRanks over tasks (Friedman p {}; less than {:.2f} apart: not told apart)"
      "\n{}",
      p_text(comparison.ranks->friedman_p), comparison.ranks->critical_difference, table.text());
}

std::string main_effects_text(const std::vector<FactorEffects>& effects) {
  if (effects.empty()) return {};
  const bool log_scale = effects.front().comparison.analysis.log_scale;
  Table table({"factor", "level", "against", "units", log_scale ? "ratio" : "difference",
               "interval", "p adjusted", "conclusion"});
  for (const FactorEffects& factor : effects) {
    for (const Contrast& c : factor.comparison.contrasts) {
      table.add({factor.factor, c.arm, factor.comparison.analysis.reference,
                 std::to_string(c.units), fmt::format("{:.4g}", c.effect.value), interval(c.effect),
                 p_text(c.p_adjusted), std::string(to_string(c.conclusion))});
    }
  }
  return "\nMain effects: each level with the runs of all arms that have it\n" + table.text();
}

std::string held_out_text(const ArmComparison& comparison) {
  if (comparison.held_out.empty()) return {};
  const Analysis& a = comparison.analysis;
  const std::string scale = a.log_scale ? "ratio" : "difference";
  Table table({"task", "best arm on the others", scale + " on this one"});
  for (const HeldOut& one : comparison.held_out) {
    table.add({one.task, one.arm, fmt::format("{:.4g}", effect_of(a, one.gain))});
  }
  return fmt::format("\nEach task left out of the choice of an arm: mean {} {:.4g} against {}\n{}",
                     scale, effect_of(a, mean_gain(comparison.held_out)), a.reference,
                     table.text());
}

}  // namespace

std::vector<std::string> fast_columns(const ArmComparison& comparison) {
  std::vector<std::string> names;
  if (comparison.analysis.endpoint != Endpoint::best_verified_speedup) return names;
  for (const double threshold : fast_thresholds)
    names.push_back(fmt::format("fast_{:g}", threshold));
  return names;
}

bool has_sol(const ArmComparison& comparison) {
  return std::ranges::any_of(comparison.arms,
                             [](const ArmFigures& arm) { return arm.sol.has_value(); });
}

std::string p_text(const std::optional<double>& p) {
  if (!p) return "-";
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::string text_of(const ComparisonReport& report) {
  const ArmComparison& comparison = report.comparison;
  std::string text = caption_of(comparison, report.provenance, !report.exploratory.empty()) + "\n" +
                     configurations_text(report.provenance) + "\n";
  if (!report.exploratory.empty()) text += "EXPLORATORY: " + report.exploratory + "\n";
  if (report.carried_forward) text += "Arms with different limits, each at its own end.\n";
  text += "\n" + arms_table(comparison) + groups_text(comparison) + "\n" +
          contrasts_table(comparison) + ranks_text(comparison) +
          main_effects_text(report.main_effects) + held_out_text(comparison);
  if (report.power) text += "\n" + text_of(*report.power, comparison.analysis);
  if (!report.repeats.empty()) text += "\n" + text_of(report.repeats);
  text += "\n" + table_of(report.provenance.made_by);
  const std::string programs = warning_of(report.provenance.made_by);
  if (!programs.empty()) text += "\nwarning: " + programs + "\n";
  for (const std::string& note : comparison.notes) text += "\nnote: " + note;
  for (const std::string& missing : report.missing) text += "\nmissing: " + missing;
  if (!comparison.notes.empty() || !report.missing.empty()) text += "\n";
  return text;
}

}  // namespace ke
