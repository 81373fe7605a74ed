#include "core/search/budget.hpp"

#include <algorithm>

namespace ke {
namespace {

bool makes_only_points(const IslandPlan& island) {
  return std::ranges::all_of(island.operators, [](const NamedOperator& named) {
    return named.weight == 0 || named.op->stays_in_spaces();
  });
}

/// Upper bound on candidates measured within the budget; 0 = no limit.
std::int64_t most_candidates(const Limits& limits) {
  return limits.evaluations > 0 ? limits.evaluations : limits.proposals;
}

/// Advances to the next point of a space, first list fastest; false after the last point.
bool advance(const KernelSpace& space, Positions& knobs, Positions& flags) {
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    if (++knobs[k] < space.knobs[k].values.size()) return true;
    knobs[k] = 0;
  }
  for (std::size_t g = 0; g < flags.size(); ++g) {
    if (++flags[g] < space.flag_genes[g].alternatives.size()) return true;
    flags[g] = 0;
  }
  return false;
}

}  // namespace

std::optional<PointsLeft> PointsLeft::of(const SearchPlan& plan) {
  const std::int64_t most = most_candidates(plan.limits);
  const bool bounded = std::ranges::all_of(plan.islands, makes_only_points);
  if (plan.devices.size() != 1 || plan.devices[0].seeds.empty() || most == 0 || !bounded) {
    return std::nullopt;
  }
  PointsLeft points;
  for (const Seed& seed : plan.devices[0].seeds) {
    if (!seed.space || !points.add(seed, static_cast<std::size_t>(most))) return std::nullopt;
  }
  points.total_ = points.left_.size();
  return points;
}

/// False when the space has more than `most` points, or too many combinations to count them.
bool PointsLeft::add(const Seed& seed, std::size_t most) {
  constexpr std::size_t refused_share = 16;  // enumerated combinations per point within budget
  constexpr std::size_t always_counted = 4096;
  const KernelSpace& space = *seed.space;
  if (space.size() > std::max(always_counted, refused_share * most)) return false;
  Positions knobs(space.knobs.size(), 0), flags(space.points ? 0 : space.flag_genes.size(), 0);
  Kernel kernel = seed.kernel;
  do {
    if (!space.admits(knobs)) continue;
    space.set(knobs, kernel);
    for (std::size_t g = 0; g < flags.size(); ++g) {
      kernel.flags[g] = space.flag_genes[g].alternatives[flags[g]];
    }
    left_.insert(kernel.genome_hash());
    if (left_.size() > most) return false;
  } while (advance(space, knobs, flags));
  return true;
}

void PointsLeft::settle(const Candidate& candidate) {
  const bool copy = candidate.outcome == OutcomeKind::duplicate;
  const bool judged =
      candidate.outcome == OutcomeKind::kernel && is_judged(candidate.evaluation.verdict);
  if (copy || judged) left_.erase(candidate.genome_hash);
}

}  // namespace ke
