#include "experiments/run/provider.hpp"

#include <cmath>
#include <filesystem>

#include "archive/recorded_facts.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "operators/llm/client/budget.hpp"
#include "operators/llm/providers/registry.hpp"

namespace ke {
namespace {

constexpr double picodollars_per_dollar = 1e12;

LlmCost cost_of(const RunCosts& costs) {
  LlmCost cost;
  cost.tokens = costs.input_tokens + costs.output_tokens;
  cost.picodollars = std::llround(costs.dollars * picodollars_per_dollar);
  return cost;
}

LlmBudget::Limits limits_of(const LlmLimits& given) {
  LlmBudget::Limits limits;
  if (given.tokens > 0) limits.tokens = given.tokens;
  if (given.dollars > 0) limits.picodollars = std::llround(given.dollars * picodollars_per_dollar);
  return limits;
}

Result<std::vector<Exchange>> answered_in(const std::string& run_file) {
  KE_TRY(auto reader, RunReader::open(run_file));
  return recorded_exchanges(std::move(reader));
}

}  // namespace

Provider::Provider(const Experiment& experiment, const std::string& run_file, const RunCosts& spent,
                   Variable variable) {
  if (!experiment.llm) return;
  budget_ = std::make_unique<LlmBudget>(limits_of(experiment.llm_limits));
  budget_->add_spent(cost_of(spent));
  LlmWorld world;
  world.run_folder = std::filesystem::path(run_file).parent_path().string();
  world.answered = [run_file] { return answered_in(run_file); };
  world.variable = std::move(variable);
  world.budget = budget_.get();
  ParamLog log;
  Params top(&experiment.document, "", log);
  Params section = top.section("llm");
  client_ = make_llm_client(section, world);
}

Provider::~Provider() = default;

}  // namespace ke
