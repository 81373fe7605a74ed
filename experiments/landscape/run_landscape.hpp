#pragma once
// What a run evaluated, as a landscape.

#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/cli/json.hpp"

namespace ke {

/// A T4 document.
struct RunLandscape {
  Json metadata;
  std::vector<Json> results;
  std::int64_t other_sources = 0;  ///< evaluated kernels of other sources, which are left out
};

/// Every configuration of one candidate's source that the run evaluated, once each, in commit
/// order. A landscape has one list of parameters, so kernels of other sources are counted only.
/// Times are in ms, the opponent's time of one call over the speedup as the search saw it; where
/// nothing was timed (functions, landscapes), 1 / objective. Error when the source declares neither
/// knob nor flag.
Result<RunLandscape> landscape_of(const RunReader& reader, const CandidateView& of);

}  // namespace ke
