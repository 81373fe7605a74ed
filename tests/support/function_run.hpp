#pragma once
// A whole search over a function, assembled for tests.

#include <functional>

#include "core/registry.hpp"
#include "core/search/search.hpp"
#include "fitness/function/function_evaluator.hpp"
#include "operators/registry.hpp"
#include "tests/support/cell_archive.hpp"

namespace ke {

struct FunctionRun {
  std::int64_t seed = 1;
  std::int64_t islands = 3;
  std::int64_t lag = 2;
  std::int64_t rate_of_first = 1;
  std::int64_t batch = 1;
  std::string topology = "ring";
  std::int64_t migrate_every = 5;
  MigrationPolicy migration{.migrants = 2};
  Limits limits{0, 150};
  std::string strategy = "map_elites";
  FunctionOptions function;
};

inline SearchPlan make_plan(const FunctionRun& run) {
  SearchPlan plan;
  plan.header.seed = run.seed;
  plan.header.task = "function";
  plan.header.task_hash = sha256("function");
  plan.header.config_id = sha256("test");
  plan.devices = {
      {"function", "function", plan.header.task_hash, "", {function_seed(run.function)}, {}}};
  plan.limits = run.limits;
  plan.batch = run.batch;
  plan.migrate_every = run.migrate_every;
  plan.topology = find_component(topologies(), run.topology)->make;
  plan.passive = std::make_unique<CellArchive>(false);
  for (std::int64_t i = 0; i < run.islands; ++i) {
    ParamLog log;
    Params params(nullptr, "", log);
    IslandPlan island;
    island.strategy = find_component(strategies(), run.strategy)->make(params);
    island.archive = std::make_unique<CellArchive>(run.function.noisy);
    island.lag = run.lag;
    island.migration = run.migration;
    island.rate = i == 0 ? run.rate_of_first : 1;
    for (const auto& row : operators()) {
      const bool drawn =
          row.name == "knob_step" || row.name == "knob_crossover" || row.name == "random_restart";
      const double weight = drawn ? 1 : 0;
      island.operators.push_back({std::string(row.name), weight, row.make(params)});
    }
    plan.islands.push_back(std::move(island));
  }
  return plan;
}

/// Requests a stop after `limit` queries; never if it is negative.
class CountingStop final : public StopToken {
 public:
  explicit CountingStop(std::int64_t limit = -1) : left_(limit) {}
  bool stop_requested() const override {
    if (left_ > 0) --left_;
    return left_ == 0;
  }

 private:
  mutable std::int64_t left_;
};

}  // namespace ke
