#pragma once
// Exports the evaluations of a run as a landscape.

#include <vector>

#include "archive/run_reader.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// A T4 document.
struct RunLandscape {
  Json metadata;
  std::vector<Json> results;
  std::int64_t other_sources = 0;  ///< evaluated kernels of other sources, left out
};

/// Every configuration of one candidate's source that the run evaluated, once each, in commit
/// order. A landscape has one list of parameters, so kernels of other sources are only counted.
/// Times are in ms: the opponent's time per call over the speedup seen by the search, or 1 /
/// objective if nothing was timed (functions, landscapes). Error if the source declares neither
/// knob nor flag.
Result<RunLandscape> landscape_of(const RunReader& reader, const CandidateView& of);

}  // namespace ke
