#pragma once
// Migrants on their way between islands. Chosen at round m - every, delivered at round m.
//
// Between islands of one device a migrant brings its evaluation along. On another device it is a
// kernel like any other: it takes a slot of the first step that the receiver is asked for after its
// delivery, is built, judged and timed there, and counts as a proposal of the receiver.

#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/search/plan.hpp"

namespace ke {

/// What candidates say that came from another device; their one parent is the migrant.
inline constexpr std::string_view migration_operator = "migration";

class Migration {
 public:
  struct Migrant {
    std::int64_t from = 0;
    std::int64_t chosen_at = 0;  ///< step of the source
    CandidatePtr candidate;
  };

  explicit Migration(const SearchPlan& plan)
      : plan_(plan),
        last_new_elite_(plan.islands.size(), -1),
        from_other_devices_(plan.islands.size()) {}

  /// Call after each commit: notes progress and, when it ended a round in which migrants leave,
  /// picks what the island will send.
  void depart(const StepRecord& record);
  /// Migrants that reach `island` at the end of this step's round, by source; each once. None when
  /// the island takes migrants only while it stagnates, and does not.
  std::vector<Migrant> arrive(std::int64_t island, std::int64_t step);
  /// The next migrant of another device that is due when the island is asked for this step. None
  /// before the step at which all seeds of the island's own were tried.
  std::optional<CandidatePtr> next_of_other_device(std::int64_t island, std::int64_t step);
  /// Whether the island's replacement policy lets the migrant contend in its archive.
  bool may_enter(std::int64_t island, const Candidate& migrant) const;

 private:
  const IslandPlan& plan_of(std::int64_t island) const {
    return plan_.islands[static_cast<std::size_t>(island)];
  }
  bool due(std::int64_t island, std::int64_t step) const;
  bool stagnates(std::int64_t island, std::int64_t round) const;
  bool waits_for_stagnation(std::int64_t island, std::int64_t round) const;
  void send(std::int64_t island, std::int64_t step, std::int64_t receiver);
  void note(const StepRecord& record);
  std::vector<CandidatePtr> choose(std::int64_t island, std::int64_t step,
                                   std::int64_t receiver) const;
  const SearchPlan& plan_;
  std::vector<std::int64_t> last_new_elite_;  ///< per island: its round
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Migrant>>
      waiting_;  ///< (island, round)
  struct Due {
    std::int64_t round = 0;
    CandidatePtr candidate;
  };
  std::vector<std::deque<Due>> from_other_devices_;  ///< per receiver, by round
};

}  // namespace ke
