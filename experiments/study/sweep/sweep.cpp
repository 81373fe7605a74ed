#include "experiments/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include <map>

#include "experiments/run/run_files.hpp"

namespace ke {

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
