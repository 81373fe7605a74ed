#include "experiments/view/report/run_tables.hpp"

#include <fmt/format.h>

#include <set>

#include "experiments/run/progress.hpp"
#include "experiments/study/summary/objective.hpp"
#include "experiments/text/table.hpp"

namespace ke {
namespace {

const SpeedupFigure* verified(const RunSummary& run, const std::string& role,
                              const std::string& baseline) {
  if (!run.champion) return nullptr;
  const auto figures = run.champion->verified.find(role);
  if (figures == run.champion->verified.end()) return nullptr;
  const auto figure = figures->second.find(baseline);
  return figure == figures->second.end() ? nullptr : &figure->second;
}

std::string cell(const SpeedupFigure* figure) {
  return figure == nullptr ? "-" : figure_text(*figure);
}

std::string seen_text(const RunSummary& run) {
  if (run.numeric) return fmt::format("max {:.3f}", run.numeric->best);
  if (!run.champion) return "-";
  return objective_text(run.champion->seen.speedup, run.champion->against);
}

/// With its interval where it was timed.
std::string seen_by_search(const ChampionSummary& champion) {
  const bool timed = champion.against == "anchor" || champion.against == "naive";
  if (!timed) return objective_text(champion.seen.speedup, champion.against);
  return fmt::format("{} against {}", figure_text(champion.seen), champion.against);
}

/// True for proposals without a new kernel, which are not failures.
bool is_idle(const std::string& name) { return name == "duplicate" || name == "no_child"; }

std::int64_t failures(const RunSummary& run) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : run.counters.failures) sum += is_idle(name) ? 0 : count;
  return sum;
}

std::int64_t idle(const RunSummary& run) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : run.counters.failures) sum += is_idle(name) ? count : 0;
  return sum;
}

std::set<std::string> baselines(const RunSummary& run) {
  std::set<std::string> names;
  if (!run.champion) return names;
  for (const auto& [role, figures] : run.champion->verified) {
    for (const auto& [name, figure] : figures) names.insert(name);
  }
  return names;
}

std::string state_text(const RunSummary& run) {
  std::string text(to_string(run.state));
  if (!run.stop_reason.empty()) text += " (" + run.stop_reason + ")";
  return text;
}

/// Lines on where the task comes from; "" where it does not say.
std::string origin_text(const RunSummary& run) {
  std::string text;
  for (const char* name : {"source", "licence", "category", "libraries"}) {
    const auto label = run.labels.find(name);
    const bool usual = label == run.labels.end() || label->second == "forbidden";
    if (!usual) text += fmt::format("{:<12} {}\n", name, label->second);
  }
  return text;
}

std::string counts_text(const RunSummary& run, bool of_idle) {
  std::string text;
  for (const auto& [name, count] : run.counters.failures) {
    if (is_idle(name) != of_idle) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count);
  }
  return text.empty() ? "none" : text;
}

}  // namespace

std::string status_table(const std::vector<RunSummary>& runs) {
  Table table({"run", "state", "evaluations", "per s", "busy", "coverage", "qd", "failures",
               "not new", "seen", "verified against naive"});
  for (const RunSummary& run : runs) {
    table.add({run.run_id, state_text(run), fmt::format("{}", run.counters.evaluations),
               fmt::format("{:.1f}", run.counters.evaluations_per_s),
               fmt::format("{:.2f}", run.lane_busy), fmt::format("{:.1f} %", 100 * run.coverage),
               fmt::format("{:.1f}", run.qd_score), fmt::format("{}", failures(run)),
               fmt::format("{}", idle(run)), seen_text(run),
               cell(verified(run, "bench", "naive"))});
  }
  return table.text();
}

std::string results_table(const std::vector<RunSummary>& runs) {
  Table table(
      {"task", "seed", "against", "bench", "validation", "holdout", "evaluations", "coverage"});
  for (const RunSummary& run : runs) {
    for (const std::string& name : baselines(run)) {
      table.add({run.header.task, fmt::format("{}", run.header.seed), name,
                 cell(verified(run, "bench", name)), cell(verified(run, "validation", name)),
                 cell(verified(run, "holdout", name)), fmt::format("{}", run.counters.evaluations),
                 fmt::format("{:.1f} %", 100 * run.coverage)});
    }
    if (baselines(run).empty() && !run.numeric) {
      table.add({run.header.task, fmt::format("{}", run.header.seed), "not verified", "-", "-", "-",
                 fmt::format("{}", run.counters.evaluations),
                 fmt::format("{:.1f} %", 100 * run.coverage)});
    }
  }
  return table.text();
}

std::string run_text(const RunSummary& run) {
  const RunCounters& c = run.counters;
  std::string text = fmt::format(
      "run          {}\nfile         {}\ntask         {}, seed {}\n{}state        {}\n"
      "progress     {} steps, {} proposals, {} evaluations in {} ({:.1f} a second)\n"
      "busy         {:.2f} of the search ({})\narchive      coverage {:.1f} %, QD score {:.2f}\n"
      "failures     {}\nnot new      {}\nconfig       {}\nhistory      {}\n",
      run.run_id, run.file, run.header.task, run.header.seed, origin_text(run), state_text(run),
      c.steps, c.proposals, c.evaluations, clock_text(static_cast<std::int64_t>(c.elapsed_s)),
      c.evaluations_per_s, run.lane_busy, run.limiting_resource, 100 * run.coverage, run.qd_score,
      counts_text(run, false), counts_text(run, true), run.header.config_id.hex(),
      run.history_hash.hex());
  if (run.numeric) {
    return text + fmt::format(
                      "numeric      QD score over cells {:.4f}, max {:.4f}, {} cells filled, {} "
                      "measures clipped\n",
                      run.norm_qd_score, run.numeric->best, run.numeric->filled,
                      run.numeric->clipped);
  }
  for (const std::string& warning : run.warnings) text += "warning      " + warning + "\n";
  for (const StoppedPromotion& elite : run.stopped) {
    text += fmt::format("not promoted {}: {}\n", elite.id.text(), elite.finding);
  }
  if (!run.champion) return text + "champion     none: no candidate was ok yet\n";
  text += fmt::format("champion     {} by {}: {}\nseen         {}, during the search\n",
                      run.champion->id.text(), run.champion->operator_name,
                      genome_text(run.champion->kernel), seen_by_search(*run.champion));
  if (!run.champion->sanitizers.empty()) text += "sanitizers   " + run.champion->sanitizers + "\n";
  for (const std::string& sentence : run.champion->profile) {
    text += "profile      " + sentence + "\n";
  }
  return text;
}

}  // namespace ke
