#include "core/strategies/puct.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/strategies/choose.hpp"
#include "core/validation.hpp"

namespace ke {

std::vector<LogicalId> Puct::line_of(std::vector<LogicalId> ids) const {
  std::vector<LogicalId> line;
  std::unordered_set<LogicalId, HashLogicalId> seen;
  while (!ids.empty()) {
    const LogicalId id = ids.back();
    ids.pop_back();
    if (!seen.insert(id).second) continue;
    line.push_back(id);
    const auto found = lines_.find(id);
    if (found == lines_.end()) continue;
    ids.insert(ids.end(), found->second.parents.begin(), found->second.parents.end());
  }
  return line;
}

double Puct::best_of(const Candidate& elite) const {
  const auto found = lines_.find(elite.id);
  const double own = worth(elite.evaluation);
  return found == lines_.end() ? own : std::max(own, found->second.best);
}

std::vector<double> Puct::scores(const std::vector<Elite>& elites) const {
  std::vector<double> values;
  for (const Elite& elite : elites) values.push_back(log_ratio(best_of(*elite.candidate), 1));
  const auto [low, high] = std::ranges::minmax(values);
  const std::vector<double> ranks = rank_weights(elites);
  const double sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
  for (std::size_t i = 0; i < elites.size(); ++i) {
    const auto found = lines_.find(elites[i].candidate->id);
    const double visits = found == lines_.end() ? 0 : found->second.visits;
    const double quality = high > low ? (values[i] - low) / (high - low) : 0;
    const double bonus = ranks[i] / sum * std::sqrt(1 + asks_) / (1 + visits);
    values[i] = quality + exploration_ * bonus + 1e-12;  // above 0, a taken elite's weight
  }
  return values;
}

void Puct::ask(std::span<const Parent> parents) {
  ++asks_;
  std::vector<LogicalId> ids;
  for (const Parent& parent : parents) ids.push_back(parent.candidate->id);
  for (const LogicalId& id : line_of(std::move(ids))) ++lines_[id].visits;
}

void Puct::tell(const Candidate& candidate) {
  Line& own = lines_[candidate.id];
  for (const Ancestor& ancestor : candidate.ancestors) {
    if (std::ranges::find(own.parents, ancestor.id) == own.parents.end()) {
      own.parents.push_back(ancestor.id);
    }
  }
  if (!is_usable(candidate)) return;
  for (const LogicalId& id : line_of({candidate.id})) {
    double& best = lines_[id].best;
    best = std::max(best, worth(candidate.evaluation));
  }
}

}  // namespace ke
