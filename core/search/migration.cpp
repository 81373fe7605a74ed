#include "core/search/migration.hpp"

#include <algorithm>

namespace ke {
namespace {

void sort_by_objective(std::vector<CandidatePtr>& elites) {
  std::stable_sort(elites.begin(), elites.end(), [](const auto& a, const auto& b) {
    return a->evaluation.objective > b->evaluation.objective;
  });
}

/// Moves `count` elites to the front, drawn by weight without replacement.
void draw_to_front(std::vector<CandidatePtr>& elites, std::size_t count, bool by_rank,
                   RandomStream& random) {
  std::vector<double> weights;
  for (std::size_t i = 0; i < elites.size(); ++i) {
    weights.push_back(static_cast<double>(elites.size() - i));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t left = elites.size() - i;
    const std::size_t drawn =
        by_rank ? random.weighted({weights.data() + i, left}) : random.below(left);
    std::swap(elites[i], elites[i + drawn]);
    std::swap(weights[i], weights[i + drawn]);
  }
}

}  // namespace

bool Migration::ends_round(std::int64_t island, std::int64_t step) const {
  const std::int64_t rate = plan_of(island).rate;
  return step % rate == rate - 1;
}

bool Migration::due(std::int64_t island, std::int64_t step, std::int64_t round) {
  const std::int64_t every = plan_.migrate_every;
  std::int64_t& next = next_departure_[static_cast<std::size_t>(island)];
  if (every == 0 || !ends_round(island, step) || round < next) return false;
  next = ((round + 1) / every + 1) * every - 1;
  return true;
}

bool Migration::stagnates(std::int64_t island, std::int64_t round) const {
  const std::int64_t since = round - last_new_elite_[static_cast<std::size_t>(island)];
  return since >= plan_of(island).migration.patience;
}

void Migration::note(const StepRecord& record, std::int64_t round) {
  for (const ArchiveEvent& event : record.events) {
    if (has_entered(event.status) && event.archive == "island") {
      last_new_elite_[static_cast<std::size_t>(record.island)] = round;
    }
  }
}

std::vector<CandidatePtr> Migration::choose(std::int64_t island, std::int64_t step,
                                            std::int64_t receiver) const {
  const IslandPlan& source = plan_of(island);
  std::vector<CandidatePtr> elites;
  for (const Elite& elite : source.archive->elites()) elites.push_back(elite.candidate);
  const auto count = std::min(static_cast<std::size_t>(source.migration.migrants), elites.size());
  const MigrantSelection select = source.migration.select;
  if (select != MigrantSelection::uniform) sort_by_objective(elites);
  if (select != MigrantSelection::best) {
    RandomStream random(
        {static_cast<std::uint64_t>(plan_.header.seed), island, step, receiver, Purpose::migrate});
    draw_to_front(elites, count, select == MigrantSelection::rank, random);
  }
  elites.resize(count);
  return elites;
}

void Migration::depart(const StepRecord& record, std::int64_t round) {
  note(record, round);
  const std::int64_t island = record.island;
  if (!due(island, record.step, round)) return;
  const bool waits = plan_of(island).migration.when == MigrationTrigger::source_stagnates;
  if (waits && !stagnates(island, round)) return;
  const auto islands = static_cast<std::int64_t>(plan_.islands.size());
  for (std::int64_t receiver = 0; receiver < islands; ++receiver) {
    const auto sources = plan_.topology(receiver, islands);
    if (std::find(sources.begin(), sources.end(), island) == sources.end()) continue;
    send(island, record.step, round, receiver);
  }
}

void Migration::send(std::int64_t island, std::int64_t step, std::int64_t round,
                     std::int64_t receiver) {
  const std::int64_t due_at = round + plan_.migrate_every;
  if (plan_of(island).device == plan_of(receiver).device) {
    auto& waiting = waiting_[{receiver, due_at}];
    for (CandidatePtr& migrant : choose(island, step, receiver)) {
      waiting.push_back({island, step, std::move(migrant)});
    }
  } else if (plan_.device_of(island).abi == plan_.device_of(receiver).abi) {
    auto& waiting = from_other_devices_[static_cast<std::size_t>(receiver)];
    for (CandidatePtr& migrant : choose(island, step, receiver)) {
      waiting.push_back({due_at, std::move(migrant)});
    }
  }
}

std::vector<Migration::Migrant> Migration::arrive(std::int64_t island, std::int64_t step,
                                                  std::int64_t round) {
  std::vector<Migrant> arrived;
  if (!ends_round(island, step)) return arrived;
  const auto first = waiting_.lower_bound({island, 0});
  const auto last = waiting_.upper_bound({island, round});
  for (auto due = first; due != last; ++due) {
    for (Migrant& migrant : due->second) {
      const bool twice = std::ranges::any_of(arrived, [&](const Migrant& other) {
        return other.from == migrant.from && other.candidate == migrant.candidate;
      });
      if (!twice) arrived.push_back(std::move(migrant));
    }
  }
  waiting_.erase(first, last);
  if (waits_for_stagnation(island, round)) arrived.clear();
  return arrived;
}

bool Migration::waits_for_stagnation(std::int64_t island, std::int64_t round) const {
  const bool waits = plan_of(island).migration.when == MigrationTrigger::receiver_stagnates;
  return waits && !stagnates(island, round);
}

std::optional<CandidatePtr> Migration::next_of_other_device(std::int64_t island, std::int64_t step,
                                                            std::int64_t round) {
  auto& waiting = from_other_devices_[static_cast<std::size_t>(island)];
  if (step < static_cast<std::int64_t>(plan_.device_of(island).seeds.size())) return std::nullopt;
  while (!waiting.empty() && waiting.front().round <= round) {
    CandidatePtr migrant = std::move(waiting.front().candidate);
    waiting.pop_front();
    if (!waits_for_stagnation(island, round)) return migrant;
  }
  return std::nullopt;
}

bool Migration::may_enter(std::int64_t island, const Candidate& migrant) const {
  const IslandPlan& receiver = plan_of(island);
  if (receiver.migration.replace != MigrantReplacement::empty) {
    return receiver.migration.replace == MigrantReplacement::worst;
  }
  const auto& elites = receiver.archive->elites();
  const std::size_t cell = receiver.archive->cell_of(migrant);
  return std::none_of(elites.begin(), elites.end(),
                      [&](const Elite& elite) { return elite.cell == cell; });
}

}  // namespace ke
