#include "core/search/migration.hpp"

#include <algorithm>

namespace ke {

bool Migration::due(std::int64_t island, std::int64_t step) const {
  const std::int64_t every = plan_.migration.every;
  const std::int64_t rate = plan_.islands[static_cast<std::size_t>(island)].rate;
  if (every == 0 || step % rate != rate - 1) return false;
  return (step / rate + 1) % every == 0;
}

std::vector<CandidatePtr> Migration::choose(std::int64_t island, std::int64_t step,
                                            std::int64_t receiver) const {
  std::vector<CandidatePtr> elites;
  for (const Elite& elite : plan_.islands[static_cast<std::size_t>(island)].archive->elites()) {
    elites.push_back(elite.candidate);
  }
  const auto count = std::min(static_cast<std::size_t>(plan_.migration.migrants), elites.size());
  if (plan_.migration.best) {
    std::stable_sort(elites.begin(), elites.end(), [](const auto& a, const auto& b) {
      return a->evaluation.objective > b->evaluation.objective;
    });
  } else {
    RandomStream random(
        {static_cast<std::uint64_t>(plan_.header.seed), island, step, receiver, Purpose::migrate});
    for (std::size_t i = 0; i < count; ++i) {
      std::swap(elites[i], elites[i + random.below(elites.size() - i)]);
    }
  }
  elites.resize(count);
  return elites;
}

void Migration::depart(std::int64_t island, std::int64_t step) {
  if (!due(island, step)) return;
  const std::int64_t round = step / plan_.islands[static_cast<std::size_t>(island)].rate;
  const auto islands = static_cast<std::int64_t>(plan_.islands.size());
  for (std::int64_t receiver = 0; receiver < islands; ++receiver) {
    const auto sources = plan_.topology->sources(receiver, islands);
    if (std::find(sources.begin(), sources.end(), island) == sources.end()) continue;
    auto& waiting = waiting_[{receiver, round + plan_.migration.every}];
    for (CandidatePtr& migrant : choose(island, step, receiver)) {
      waiting.push_back({island, step, std::move(migrant)});
    }
  }
}

std::vector<Migration::Migrant> Migration::arrive(std::int64_t island, std::int64_t step) {
  const std::int64_t rate = plan_.islands[static_cast<std::size_t>(island)].rate;
  if (step % rate != rate - 1) return {};
  const auto node = waiting_.extract({island, step / rate});
  return node.empty() ? std::vector<Migrant>{} : std::move(node.mapped());
}

}  // namespace ke
