#include "experiments/sweep/sweep.hpp"

#include <fmt/format.h>

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

Digest Sweep::plan_hash() const {
  std::string text = analysis.canonical_text;
  for (const SweepRun& run : runs_of(*this)) {
    text += fmt::format("{} {} {}\n", run.file, subject(run.arm, run.task).hash.hex(),
                        arms[run.arm].experiments[run.task].config_id().hex());
  }
  return sha256(text);
}

}  // namespace ke
