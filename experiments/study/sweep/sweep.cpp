#include "experiments/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/run/run_files.hpp"

namespace ke {
namespace {

const std::vector<std::string> unit_names = {"task", "device", "seed", "chain"};

void read_endpoint(Params& section) {
  const std::string endpoint = section.choice(
      "endpoint", "best_seen",
      {"best_seen", "best_verified_speedup", "qd_score", "coverage", "auc", "evaluations_to_target",
       "common_qd_score", "common_coverage"},
      "what is read from a run; auc is the mean of the best objective so far over the budget; "
      "qd_score and coverage are those of the archive that the search used, common_ those of the "
      "grid that all runs fill");
  section.choice("scale", "auto", {"auto", "log", "linear"},
                 "log: effects are ratios and means geometric; auto is log for evaluations and for "
                 "speedups, verified or seen");
  const double target = section.real("target", 0, {0, 1e12},
                                     "objective that evaluations_to_target waits for; a run that "
                                     "never reaches it counts as censored at its limit");
  if (endpoint == "evaluations_to_target" && target <= 0) {
    section.fail("target", "is missing; evaluations_to_target needs it");
  }
  section.text("baseline", "strongest",
               "opponent of best_verified_speedup: naive, anchor, ...; strongest: of each run the "
               "baseline over which its speedup is smallest");
  section.choice("role", "bench", {"bench", "validation", "holdout"},
                 "workloads of best_verified_speedup");
}

void read_test(Params& section, Analysis& analysis) {
  const std::string unit =
      section.choice("unit", unit_names.front(), unit_names,
                     "what conclusions generalise over: its replicates; chain: all tasks of a "
                     "seed, whose runs depend on each other");
  analysis.unit = static_cast<Unit>(std::ranges::find(unit_names, unit) - unit_names.begin());
  analysis.paired =
      section.choice("test", "paired_hierarchical_bootstrap",
                     {"paired_hierarchical_bootstrap", "wilcoxon", "mann_whitney"},
                     "the first two pair the arms by task, device and seed") != "mann_whitney";
  section.choice("reduce", "mean", {"mean", "median", "iqm"},
                 "how seeds of one task become one value");
  analysis.holm = section.choice("family", "holm", {"holm", "none"},
                                 "control of the family-wise error over all arms") == "holm";
  analysis.alpha = section.real("alpha", 0.05, {1e-6, 0.4}, "error rate; intervals have 1 - alpha");
  section.real("min_effect", 0, {0, 1e9},
               "smallest effect of interest: a ratio of 1 + x on the log scale, otherwise a "
               "difference of x; 0 = no equivalence test");
  section.integer("repetitions", 2000, {200, 1'000'000}, "resamples of the bootstrap");
}

}  // namespace

std::string_view to_string(Unit unit) { return unit_names[static_cast<std::size_t>(unit)]; }

Analysis read_analysis(Params& top) {
  Params section = top.section("analysis");
  Analysis analysis;
  analysis.reference = section.text("reference", "",
                                    "arm that the others are compared with; the "
                                    "first one if not given");
  analysis.arms = section.texts("arms", {}, "arms that are compared with it; all if not given");
  read_endpoint(section);
  read_test(section, analysis);
  return analysis;
}

std::size_t Sweep::reference() const {
  for (std::size_t i = 0; i < arms.size(); ++i) {
    if (arms[i].spec.name == analysis.reference) return i;
  }
  return 0;
}

std::vector<SweepRun> runs_of(const Sweep& sweep) {
  std::vector<SweepRun> runs;
  for (const std::int64_t seed : sweep.seeds) {
    for (std::size_t task = 0; task < sweep.tasks.size(); ++task) {
      for (std::size_t arm = 0; arm < sweep.arms.size(); ++arm) {
        const std::string& name = sweep.arms[arm].spec.name;
        runs.push_back({arm, task, seed, run_file_name(name, sweep.subject(arm, task).name, seed)});
      }
    }
  }
  return runs;
}

std::vector<std::vector<SweepRun>> chains_of(const Sweep& sweep) {
  std::vector<std::vector<SweepRun>> chains;
  std::map<std::pair<std::int64_t, std::size_t>, std::size_t> places;  // by seed and arm
  for (const SweepRun& run : runs_of(sweep)) {
    const auto [place, fresh] = places.try_emplace({run.seed, run.arm}, chains.size());
    if (fresh || !sweep.chained) {
      chains.push_back({run});
    } else {
      chains[place->second].push_back(run);
    }
  }
  return chains;
}

Digest Sweep::plan_hash() const {
  std::string text = analysis.canonical_text;
  if (chained) text += "chain tasks\n";
  for (const SweepRun& run : runs_of(*this)) {
    text += fmt::format("{} {} {}\n", run.file, subject(run.arm, run.task).hash.hex(),
                        arms[run.arm].experiments[run.task].config_id().hex());
  }
  return sha256(text);
}

}  // namespace ke
