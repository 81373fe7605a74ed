#include "experiments/run/assemble.hpp"

#include "experiments/archives.hpp"
#include "experiments/places.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

/// The experiment's document again, for components that read their options anew. It was checked
/// when the experiment was read, so that nothing can be wrong with it now.
struct Reader {
  explicit Reader(const Experiment& experiment) : top(&experiment.document, "", log) {}
  ParamLog log;
  Params top;
};

std::vector<NamedOperator> make_operators(const Experiment& experiment) {
  Reader reader(experiment);
  Params section = reader.top.section("operators");
  std::vector<NamedOperator> list;
  // Strategies open with seed_source and may fall back to random_restart, so weight 0 is kept.
  for (const auto& row : operators()) {
    double weight = 0;
    for (const OperatorWeight& given : experiment.operators) {
      if (given.name == row.name) weight = given.weight;
    }
    Params own = section.section(row.name);
    list.push_back({std::string(row.name), weight, row.make(own)});
  }
  return list;
}

IslandPlan make_island(const Experiment& experiment) {
  Reader reader(experiment);
  Params section = reader.top.section("strategy");
  IslandPlan island;
  island.strategy = find_component(strategies(), experiment.strategy)->make(section);
  island.archive = make_archive(experiment);
  island.operators = make_operators(experiment);
  island.lag = experiment.islands.lag;
  return island;
}

}  // namespace

std::unique_ptr<EvaluatorKind> evaluator_kind(const Experiment& experiment) {
  const auto* row = find_component(evaluator_kinds(), experiment.device);
  KE_CHECK(row != nullptr);
  return row->make();
}

Result<Subject> read_subject(const Experiment& experiment, const std::string& task,
                             const std::string& beside) {
  Reader reader(experiment);
  Params device = reader.top.section("device");
  return evaluator_kind(experiment)->subject(device, task, beside);
}

Result<StartedEvaluator> start_evaluator(const Experiment& experiment, const Subject& subject,
                                         const std::string& cache_folder) {
  Reader reader(experiment);
  Params device = reader.top.section("device");
  return evaluator_kind(experiment)
      ->start(device, subject, {experiment.acceptance, cache_folder, tools_folder()});
}

RunHeader make_header(const Experiment& experiment, const Subject& subject, std::int64_t seed) {
  RunHeader header;
  header.config_text = experiment.canonical_text;
  header.config_id = experiment.config_id();
  header.task = subject.name;
  header.task_hash = subject.hash;
  header.seed = seed;
  return header;
}

SearchPlan make_plan(const Experiment& experiment, const Subject& subject, std::int64_t seed) {
  SearchPlan plan;
  plan.header = make_header(experiment, subject, seed);
  plan.task_text = subject.text;
  plan.seeds = subject.seeds;
  plan.naive = subject.naive;
  plan.limits = experiment.limits;
  plan.target = experiment.target;
  plan.stagnation = experiment.stagnation;
  plan.batch = experiment.batch;
  plan.migration = experiment.islands.migration;
  plan.topology = find_component(topologies(), experiment.islands.topology)->make();
  plan.verify = experiment.verify;
  for (std::int64_t i = 0; i < experiment.islands.count; ++i) {
    plan.islands.push_back(make_island(experiment));
  }
  plan.passive = make_passive_archive(experiment);
  return plan;
}

}  // namespace ke
