#include "core/search/island_schedule.hpp"

#include <algorithm>

#include "core/search/migration.hpp"

namespace ke {
namespace {

constexpr double first_gain = 0.01;
constexpr double first_cost = 1;

}  // namespace

IslandSchedule::IslandSchedule(std::size_t islands, const Options& options)
    : options_(options), islands_(islands) {
  KE_CHECK(islands > 0 && options.floor * static_cast<double>(islands) <= 1 + 1e-9);
}

std::vector<double> IslandSchedule::shares() const {
  std::vector<double> shares;
  double sum = 0;
  for (const Island& island : islands_) {
    shares.push_back((island.gain + first_gain) / (island.cost + first_cost));
    sum += shares.back();
  }
  const double rest = 1 - options_.floor * static_cast<double>(islands_.size());
  for (double& share : shares) share = options_.floor + rest * share / sum;
  return shares;
}

std::size_t IslandSchedule::next() {
  const std::vector<double> now = shares();
  for (std::size_t i = 0; i < now.size(); ++i) islands_[i].credit += now[i];
  const auto chosen = std::ranges::max_element(islands_, {}, &Island::credit);
  chosen->credit -= 1;
  return static_cast<std::size_t>(chosen - islands_.begin());
}

void IslandSchedule::tell(std::size_t number, const Commit& told) {
  Island& island = islands_[number];
  const Candidate& candidate = *told.candidate;
  const double gain = island.best.gain(candidate);
  if (candidate.id.island != static_cast<std::int64_t>(number)) return;  // arrived with its figures
  const bool migrant = candidate.operator_name == migration_operator;
  island.gain = options_.fade * island.gain + (migrant ? 0 : gain);
  island.cost = options_.fade * island.cost + std::max(1.0, options_.cost.of(told));
}

}  // namespace ke
