#pragma once
// Migrants on their way between islands. Chosen at round m - every, delivered at round m.

#include <map>
#include <vector>

#include "core/search/plan.hpp"

namespace ke {

class Migration {
 public:
  struct Migrant {
    std::int64_t from = 0;
    std::int64_t chosen_at = 0;  ///< step of the source
    CandidatePtr candidate;
  };

  explicit Migration(const SearchPlan& plan) : plan_(plan) {}

  /// Call after an island has committed the last step of a round: picks what it will send.
  void depart(std::int64_t island, std::int64_t step);
  /// Migrants that reach `island` at the end of this step's round, by source; each once.
  std::vector<Migrant> arrive(std::int64_t island, std::int64_t step);

 private:
  bool due(std::int64_t island, std::int64_t step) const;
  std::vector<CandidatePtr> choose(std::int64_t island, std::int64_t step,
                                   std::int64_t receiver) const;
  const SearchPlan& plan_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Migrant>>
      waiting_;  ///< (island, round)
};

}  // namespace ke
