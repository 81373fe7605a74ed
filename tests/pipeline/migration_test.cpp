// Which candidates migrate, when, and what they replace.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>

#include "tests/support/function_run.hpp"

namespace ke {
namespace {

MemoryRun whole_run(const FunctionRun& run) {
  MemoryRun memory;
  const auto stop = memory.search(make_plan(run), *make_function_evaluator(run.function));
  EXPECT_TRUE(stop) << stop.error().message;
  return memory;
}

std::vector<StepRecord> steps_of(const FunctionRun& run) { return whole_run(run).history.steps(); }

bool is_new_elite(const ArchiveEvent& event) {
  return event.archive == "island" &&
         (event.status == Addition::new_cell || event.status == Addition::improved);
}

/// Rounds in which each island got a new elite; all islands take one step per round here.
using Progress = std::map<std::int64_t, std::vector<std::int64_t>>;
Progress progress(const std::vector<StepRecord>& steps) {
  Progress rounds;
  for (const StepRecord& record : steps) {
    for (const ArchiveEvent& event : record.events) {
      if (is_new_elite(event)) rounds[record.island].push_back(record.step);
    }
  }
  return rounds;
}

/// True if no round in (round - patience, round) brought a new elite.
bool stagnated(const std::vector<std::int64_t>& rounds, std::int64_t round, std::int64_t patience) {
  return std::none_of(rounds.begin(), rounds.end(),
                      [&](std::int64_t at) { return at < round && at > round - patience; });
}

FunctionRun stagnating(MigrationTrigger when) {
  FunctionRun run;
  run.limits = {0, 600};
  run.migrate_every = 3;
  run.migration = {.migrants = 1, .when = when, .patience = 4};
  return run;
}

// Requires that some chances to migrate are taken and some are not; `rightly` checks each taken
// one.
void expect_migrations(
    MigrationTrigger when,
    const std::function<bool(Progress&, const StepRecord&, const MigrationEvent&)>& rightly) {
  const auto steps = steps_of(stagnating(when));
  Progress rounds = progress(steps);
  int migrations = 0;
  int chances = 0;
  for (const StepRecord& record : steps) {
    chances += record.step % 3 == 2 ? 1 : 0;
    for (const MigrationEvent& migration : record.migrations) {
      ++migrations;
      EXPECT_TRUE(rightly(rounds, record, migration)) << record.step;
    }
  }
  EXPECT_GT(migrations, 3);
  EXPECT_LT(migrations, chances);
}

TEST(MigrationTriggers, migrants_reach_islands_that_stagnate_and_no_others) {
  expect_migrations(
      MigrationTrigger::receiver_stagnates,
      [](Progress& rounds, const StepRecord& record, const MigrationEvent& migration) {
        return stagnated(rounds[migration.to], record.step, 4);
      });
}

TEST(MigrationTriggers, migrants_leave_islands_that_stagnate_and_no_others) {
  expect_migrations(MigrationTrigger::source_stagnates,
                    [](Progress& rounds, const StepRecord&, const MigrationEvent& migration) {
                      return stagnated(rounds[migration.from], migration.chosen_at + 1, 4);
                    });
}

/// Archive events of candidates from another island.
std::vector<ArchiveEvent> events_of_migrants(MigrantReplacement replace) {
  FunctionRun run;
  run.limits = {0, 300};
  run.migration = {.migrants = 3, .select = MigrantSelection::uniform, .replace = replace};
  std::vector<ArchiveEvent> events;
  int migrations = 0;
  for (const StepRecord& record : steps_of(run)) {
    migrations += static_cast<int>(record.migrations.size());
    for (const ArchiveEvent& event : record.events) {
      if (event.challenger.island != record.island) events.push_back(event);
    }
  }
  EXPECT_GT(migrations, 50) << "each is logged, whatever it meets";
  return events;
}

TEST(MigrantReplacement, worst_lets_migrants_contend_in_their_cells) {
  const auto events = events_of_migrants(MigrantReplacement::worst);
  const auto with = [&](Addition status) {
    return std::count_if(events.begin(), events.end(),
                         [&](const ArchiveEvent& event) { return event.status == status; });
  };
  EXPECT_GT(with(Addition::improved), 0);
  EXPECT_GT(with(Addition::rejected), 0);
}

TEST(MigrantReplacement, empty_never_displaces_anybody) {
  const auto events = events_of_migrants(MigrantReplacement::empty);
  EXPECT_FALSE(events.empty());
  for (const ArchiveEvent& event : events) EXPECT_EQ(event.status, Addition::new_cell);
}

TEST(MigrantReplacement, inform_leaves_the_archive_alone) {
  EXPECT_TRUE(events_of_migrants(MigrantReplacement::inform).empty());
}

/// Mean objective of all migrants of a run.
double mean_objective_of_migrants(MigrantSelection select) {
  FunctionRun run;
  run.limits = {0, 300};
  run.migration = {.migrants = 1, .select = select};
  std::map<LogicalId, double> objectives;
  double sum = 0;
  int count = 0;
  for (const StepRecord& record : steps_of(run)) {
    for (const auto& candidate : record.candidates) {
      objectives[candidate->id] = candidate->evaluation.objective;
    }
    for (const MigrationEvent& migration : record.migrations) {
      sum += objectives.at(migration.migrant);
      ++count;
    }
  }
  return sum / count;
}

TEST(MigrantSelection, best_sends_better_ones_than_rank_and_rank_than_uniform) {
  const double best = mean_objective_of_migrants(MigrantSelection::best);
  const double rank = mean_objective_of_migrants(MigrantSelection::rank);
  const double uniform = mean_objective_of_migrants(MigrantSelection::uniform);
  EXPECT_GT(best, rank);
  EXPECT_GT(rank, uniform);
}

TEST(SeenGenomes, no_operator_spends_a_step_on_a_known_genome) {
  FunctionRun run;
  run.function.dimensions = 2;
  run.function.levels = 12;
  run.limits = {0, 130};
  int duplicates = 0;
  int of_seeds = 0;
  for (const CandidatePtr& candidate : whole_run(run).candidates()) {
    if (candidate->outcome != OutcomeKind::duplicate) continue;
    ++duplicates;
    of_seeds += candidate->operator_name == "seed_source" ? 1 : 0;
  }
  EXPECT_EQ(duplicates, of_seeds);
  EXPECT_EQ(of_seeds, 2) << "each of three islands begins with the seed";
}

}  // namespace
}  // namespace ke
