#include "experiments/view/plot/chosen_runs.hpp"

#include <algorithm>
#include <map>

#include "experiments/study/compare/read_endpoint.hpp"

namespace ke {
namespace {

struct RankedRun {
  double best = 0;
  const ComparedRun* run = nullptr;
};
using Groups = std::map<std::pair<std::string, std::size_t>, std::vector<RankedRun>>;

/// Groups runs by task and position of their arm, lowest objective first.
Result<Groups> groups_of(const ComparedRuns& runs) {
  Groups groups;
  for (const ComparedRun& run : runs.runs) {
    KE_TRY(const auto reader, RunReader::open(run.file));
    KE_TRY(const EndpointValue best, read_endpoint(*reader, Analysis{}));
    const auto arm = std::ranges::find(runs.arms, run.arm) - runs.arms.begin();
    groups[{run.task, static_cast<std::size_t>(arm)}].push_back({best.value, &run});
  }
  for (auto& [name, group] : groups) std::ranges::stable_sort(group, {}, &RankedRun::best);
  return groups;
}

}  // namespace

Result<std::vector<const ComparedRun*>> median_runs(const ComparedRuns& runs) {
  KE_TRY(const Groups groups, groups_of(runs));
  std::vector<const ComparedRun*> chosen;
  for (const auto& [name, group] : groups) chosen.push_back(group[(group.size() - 1) / 2].run);
  return chosen;
}

Result<std::vector<const ComparedRun*>> best_runs(const ComparedRuns& runs) {
  KE_TRY(const Groups groups, groups_of(runs));
  std::map<std::string, RankedRun> best;
  for (const auto& [name, group] : groups) {
    for (const RankedRun& one : group) {
      RankedRun& so_far = best.try_emplace(name.first, one).first->second;
      if (one.best > so_far.best) so_far = one;
    }
  }
  std::vector<const ComparedRun*> chosen;
  for (const auto& [task, one] : best) chosen.push_back(one.run);
  return chosen;
}

}  // namespace ke
