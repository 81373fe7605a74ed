#include <fmt/format.h>

#include <array>

#include "archive/acceptance.hpp"
#include "core/registry.hpp"
#include "experiments/run/assemble.hpp"
#include "experiments/run/config/archives.hpp"
#include "experiments/run/config/read_experiment.hpp"

namespace ke {
namespace {

/// Reads an enum option; `names` lists its values in the enum's order.
template <typename Enum, std::size_t n>
Enum read_enum(Params& params, std::string_view name, Enum fallback,
               const std::array<const char*, n>& names, std::string_view doc) {
  const std::vector<std::string> allowed(names.begin(), names.end());
  const std::string value =
      params.choice(name, names[static_cast<std::size_t>(fallback)], allowed, doc);
  std::size_t index = 0;
  while (allowed[index] != value) ++index;
  return static_cast<Enum>(index);
}

MigrationPolicy read_policy(Params& migration, const MigrationPolicy& fallback) {
  constexpr std::array selections = {"best", "uniform", "rank"};
  constexpr std::array replacements = {"worst", "empty", "inform"};
  constexpr std::array triggers = {"schedule", "source_stagnates", "receiver_stagnates"};
  MigrationPolicy policy;
  policy.migrants =
      migration.integer("migrants", fallback.migrants, {1, 1000}, "elites sent to each receiver");
  policy.select =
      read_enum(migration, "select", fallback.select, selections, "which elites are sent");
  policy.replace = read_enum(
      migration, "replace", fallback.replace, replacements,
      "whom a migrant contends with: the elite of its own cell, of whom the worse goes; nobody, it "
      "enters empty cells only; or no archive at all, only the strategy is told of it");
  policy.when = read_enum(migration, "when", fallback.when, triggers,
                          "on every scheduled round, or only from or to islands that stagnate");
  policy.patience = migration.integer("patience", fallback.patience, {1, 1'000'000},
                                      "rounds without a new elite after which an island stagnates");
  return policy;
}

std::int64_t read_lag(Params& params, std::int64_t fallback) {
  return params.integer("lag", fallback, {0, 1024},
                        "a step sees its island as of this many steps ago");
}

std::int64_t read_rate(Params& params, std::int64_t fallback) {
  return params.integer("rate", fallback, {1, 1024}, "steps of an island in one round");
}

/// Checks that the device of islands without their own archive supports the experiment's archive.
void check_common_archive(const Experiment& experiment, std::size_t device, Params& own) {
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params section = top.section("archive");
  read_archive_section(section, measures_of(experiment, device));
  if (log.errors.empty()) return;
  own.fail("device", fmt::format("= {} does not measure the axes of the section 'archive'; give "
                                 "the island an archive of its own",
                                 experiment.devices[device].name));
}

std::optional<IslandSchedule::Options> read_schedule(Params& islands, std::int64_t count,
                                                     bool listing) {
  if (!islands.has("schedule") && !listing) return std::nullopt;  // not part of other identities
  Params section = islands.section("schedule");
  const std::string kind =
      section.choice("kind", "round_robin", {"round_robin", "bandit"},
                     "which island takes the next step: each in turn, or by recent gain per cost");
  if (kind == "round_robin" && !listing) return std::nullopt;
  IslandSchedule::Options options;
  options.floor = section.real(
      "floor", 0.1, {0, 1}, "bandit: least share of the steps for each island; at most 1 / count");
  options.fade = section.real("fade", 0.95, {0.5, 1},
                              "bandit: what a candidate leaves of its island's older ones");
  options.cost = read_ask_cost(section);
  if (options.floor * static_cast<double>(count) > 1) {
    section.fail("floor", fmt::format("= {} for {} islands is outside [0, 1 / {}]", options.floor,
                                      count, count));
  }
  return options;
}

/// Reads an entry of `islands.each`; missing keys have the value of all islands.
IslandSpec read_island(Params& own, const IslandSpec& fallback, const Experiment& experiment,
                       std::size_t device) {
  IslandSpec spec = fallback;
  spec.lag = read_lag(own, fallback.lag);
  spec.rate = read_rate(own, fallback.rate);
  Params migration = own.section("migration");
  if (own.has("migration")) spec.migration = read_policy(migration, fallback.migration);
  if (own.has("strategy")) {
    Params section = own.section("strategy");
    spec.strategy = read_strategy_section(section);
  }
  if (own.has("operators")) {
    Params section = own.section("operators");
    spec.operators = read_operator_section(section, true);
  }
  if (own.has("archive")) {
    Params section = own.section("archive");
    read_archive_section(section, measures_of(experiment, device));
  } else if (own.has("device")) {
    check_common_archive(experiment, device, own);
  }
  if (own.has("device")) {
    Params section = own.section("acceptance");
    read_acceptance(section, evaluator_kind(experiment, device)->default_rule());
  }
  return spec;
}

}  // namespace

void read_islands(Params& top, Experiment& experiment) {
  IslandsPlan& plan = experiment.islands;
  Params islands = top.section("islands");
  const auto given = static_cast<std::int64_t>(
      islands
          .sections("each",
                    "maps that say for one island each what differs: strategy, operators, archive, "
                    "device (each as a whole), lag, rate, migration; beside a device, task ('*' is "
                    "the run's) and acceptance")
          .size());
  plan.count =
      islands.integer("count", given > 0 ? given : 2, {1, 1024},
                      "islands, each with an archive of its own; without it as many as `each` has");
  if (given > plan.count) {
    islands.fail("each", fmt::format("has {} entries for {} islands", given, plan.count));
  }
  plan.topology = islands.choice("topology", "ring", component_names(topologies()),
                                 "which islands an island receives migrants from");
  Params migration = islands.section("migration");
  plan.migrate_every =
      migration.integer("every", 20, {1, 1'000'000}, "rounds between two migrations");
  if (plan.topology == "none" || plan.count == 1) plan.migrate_every = 0;
  plan.schedule = read_schedule(islands, plan.count, top.node() == nullptr);
}

void read_each_island(Params& top, Experiment& experiment) {
  Params islands = top.section("islands");
  Params migration = islands.section("migration");
  IslandSpec common;
  common.strategy = experiment.strategy;
  common.operators = experiment.operators;
  common.lag = read_lag(islands, 2);
  common.rate = read_rate(islands, 1);
  common.migration = read_policy(migration, {});
  std::vector<Params> own = islands.sections("each");
  for (std::size_t i = 0; i < static_cast<std::size_t>(experiment.islands.count); ++i) {
    experiment.islands.each.push_back(
        i < own.size() ? read_island(own[i], common, experiment, experiment.islands.device_of[i])
                       : common);
    if (experiment.islands.schedule && experiment.islands.each.back().rate != 1) {
      islands.fail("rate",
                   "has no place beside schedule: bandit, which sets the shares of islands");
    }
  }
}

Params island_section(Params& top, std::size_t island, std::string_view name) {
  Params islands = top.section("islands");
  std::vector<Params> own = islands.sections("each");
  if (island < own.size() && own[island].has(name)) return own[island].section(name);
  return top.section(name);
}

}  // namespace ke
