#pragma once
// Chained memory: a run's prompts contain the lessons of earlier runs in its chain.

#include <string>
#include <vector>

#include "experiments/study/sweep/sweep.hpp"

namespace ke {

/// Gives an experiment with a memory the empty snapshot that starts a chain. Logs an error, with
/// its place, if the experiment names its own snapshot.
void begin_chain(Node& experiment, std::vector<std::string>& errors);

/// Inputs of one run of a chain.
struct ChainedRun {
  Experiment experiment;
  Subject subject;
};

/// Distils the lessons of the runs of the same arm and seed on earlier tasks, in task order, writes
/// them to `<folder>/<run>.lessons.jsonl`, and pins that file by its hash in the run's
/// configuration. Deterministic, so a killed run resumes with the same file. The earlier runs must
/// be done; error if one cannot be read.
Result<ChainedRun> continue_chain(const Sweep& sweep, const SweepRun& run,
                                  const std::string& folder);

}  // namespace ke
