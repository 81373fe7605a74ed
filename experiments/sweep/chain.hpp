#pragma once
// Chained memory: a run is told what the runs before it in its chain have learned.

#include <string>
#include <vector>

#include "experiments/sweep/sweep.hpp"

namespace ke {

/// Gives an experiment that has a memory the empty one, with which chains begin. A snapshot of its
/// own is an error, logged with its place.
void begin_chain(Node& experiment, std::vector<std::string>& errors);

/// What one run of a chain is given.
struct ChainedRun {
  Experiment experiment;
  Subject subject;
};

/// Distils the lessons of the runs of the same arm and seed on earlier tasks, in the order of the
/// tasks, writes them to `<folder>/<run>.lessons.jsonl`, and pins that file by its hash in the
/// run's configuration. Equal for equal runs, so that a run that was killed goes on with it. The
/// earlier runs must be done; error when one cannot be read.
Result<ChainedRun> continue_chain(const Sweep& sweep, const SweepRun& run,
                                  const std::string& folder);

}  // namespace ke
