#pragma once
// Progress reports of a running search.

#include <cstdint>
#include <map>
#include <string>

#include "core/history.hpp"

namespace ke {

/// Counters as of the last commit.
struct SearchStatus {
  std::int64_t steps = 0;
  std::int64_t proposals = 0;
  std::int64_t evaluations = 0;
  std::int64_t in_flight = 0;
  std::map<std::string, std::int64_t> failures;  ///< verdict or no_child reason -> count
  double best_objective = 0;
  double coverage = 0;  ///< coverage of the passive archive
  double qd_score = 0;
  bool replayed = false;  ///< the step was already in the history
};

/// Receives every commit and each verified figure. Must not change the search.
class SearchObserver {
 public:
  virtual ~SearchObserver() = default;
  virtual void on_commit(const StepRecord&, const SearchStatus&) {}
  virtual void on_phase(std::string_view) {}
  virtual void on_verified(const VerifiedFigure&) {}
};

}  // namespace ke
