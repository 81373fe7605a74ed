#pragma once
// Migrants in transit between islands. Chosen at round m - every, delivered at round m. Where
// shares of islands differ (IslandSchedule), an island may take no step in a round: then its first
// step after it counts, and migrants that became due meanwhile arrive together.
//
// Between islands of one device a migrant keeps its evaluation. On another device it is treated as
// a new kernel: it takes a slot of the receiver's first step asked after the delivery, is built,
// judged and timed there, and counts as a proposal of the receiver.

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/search/plan.hpp"

namespace ke {

/// operator_name of candidates from another device; their only parent is the migrant.
inline constexpr std::string_view migration_operator = "migration";

class Migration {
 public:
  struct Migrant {
    std::int64_t from = 0;
    std::int64_t chosen_at = 0;  ///< step of the source island
    CandidatePtr candidate;
  };

  explicit Migration(const SearchPlan& plan)
      : plan_(plan),
        last_new_elite_(plan.islands.size(), -1),
        next_departure_(plan.islands.size(), plan.migrate_every - 1),
        from_other_devices_(plan.islands.size()) {}

  /// Call after each commit, with the step's round: records progress and, at the end of a round in
  /// which migrants leave, chooses the island's migrants.
  void depart(const StepRecord& record, std::int64_t round);
  /// Migrants that reach `island` at the end of this step's round, by source; each once. None if
  /// the island accepts migrants only while it stagnates and it does not.
  std::vector<Migrant> arrive(std::int64_t island, std::int64_t step, std::int64_t round);
  /// The next migrant from another device that is due when the island is asked for this step. None
  /// before the step at which all of the island's own seeds were tried.
  std::optional<CandidatePtr> next_of_other_device(std::int64_t island, std::int64_t step,
                                                   std::int64_t round);
  /// Whether the island's replacement policy lets the migrant compete in its archive.
  bool may_enter(std::int64_t island, const Candidate& migrant) const;

 private:
  const IslandPlan& plan_of(std::int64_t island) const {
    return plan_.islands[static_cast<std::size_t>(island)];
  }
  bool ends_round(std::int64_t island, std::int64_t step) const;
  bool due(std::int64_t island, std::int64_t step, std::int64_t round);
  bool stagnates(std::int64_t island, std::int64_t round) const;
  bool waits_for_stagnation(std::int64_t island, std::int64_t round) const;
  void send(std::int64_t island, std::int64_t step, std::int64_t round, std::int64_t receiver);
  void note(const StepRecord& record, std::int64_t round);
  std::vector<CandidatePtr> choose(std::int64_t island, std::int64_t step,
                                   std::int64_t receiver) const;
  const SearchPlan& plan_;
  std::vector<std::int64_t> last_new_elite_;  ///< per island: the round of its last new elite
  std::vector<std::int64_t> next_departure_;  ///< per island: the round at which migrants leave
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Migrant>>
      waiting_;  ///< by (island, round)
  struct Due {
    std::int64_t round = 0;
    CandidatePtr candidate;
  };
  std::vector<std::deque<Due>> from_other_devices_;  ///< per receiver, in order of rounds
};

}  // namespace ke
