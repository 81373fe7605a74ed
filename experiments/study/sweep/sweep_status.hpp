#pragma once
// How far a sweep is that runs elsewhere: read from its folder alone, whatever a scheduler
// believes.

#include <map>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "experiments/study/sweep/running_sign.hpp"
#include "experiments/text/json.hpp"

namespace ke {

/// Runs by what their files say; every planned run is in one of the four.
struct SweepProgress {
  std::string name;
  std::vector<std::string> finished;
  std::map<std::string, Running> running;                  ///< by run
  std::map<std::string, std::vector<std::string>> failed;  ///< runs by reason
  std::vector<std::string> missing;
  std::vector<std::string> saved;  ///< those of `missing` that go on from a saved state

  std::size_t planned() const;
};

/// Counts the runs of a sweep's folder by state. Opens each run file once.
Result<SweepProgress> progress_of(const std::string& folder);

/// One line a state.
std::string text_of(const SweepProgress& progress);
Json json_of(const SweepProgress& progress);

}  // namespace ke
