#pragma once
// Progress of a sweep that runs elsewhere, read from its folder alone and not from a scheduler.

#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/sweep/running_sign.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Runs by the state of their files; every planned run is in one of the four.
struct SweepProgress {
  std::string name;
  std::vector<std::string> finished;
  std::map<std::string, Running> running;  ///< the sign of the process that has a run open, by run
  std::map<std::string, std::vector<std::string>> failed;  ///< runs by reason
  std::vector<std::string> missing;
  std::vector<std::string> saved;  ///< runs of `missing` that continue from a saved state

  std::size_t planned() const;
};

/// Counts the runs of a sweep's folder by state. Opens each run file once.
Result<SweepProgress> progress_of(const std::string& folder);

/// Text with one line per state.
std::string text_of(const SweepProgress& progress);
Json json_of(const SweepProgress& progress);

}  // namespace ke
