#include <fmt/format.h>

#include "experiments/read_experiment.hpp"
#include "operators/llm/providers/registry.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

bool asks(std::string_view name) {
  ParamLog log;
  Params defaults(nullptr, "", log);
  const auto* row = find_component(operators(), name);
  return row != nullptr && row->make(defaults)->asks();
}

/// The first operator of any island that asks a model; "" when none does.
std::string asking_operator(const Experiment& experiment) {
  for (const IslandSpec& island : experiment.islands.each) {
    for (const OperatorWeight& weight : island.operators) {
      if (asks(weight.name)) return weight.name;
    }
  }
  return "";
}

}  // namespace

void read_llm(Params& top, Experiment& experiment) {
  experiment.llm = top.has("llm");
  const std::string asking = asking_operator(experiment);
  if (!experiment.llm) {
    if (asking.empty()) return;
    top.fail("llm", fmt::format("is missing; operators.{} asks a language model, and llm.kind says "
                                "who answers: see 'list providers'",
                                asking));
    return;
  }
  Params section = top.section("llm");
  make_llm_client(section, {});
  Params budget = section.section("budget");
  experiment.llm_limits.tokens =
      budget.integer("tokens", 0, {0, 1'000'000'000'000},
                     "input and output tokens that end the run; 0 = no limit");
  experiment.llm_limits.dollars =
      budget.real("dollars", 0, {0, 1e9}, "dollars that end the run; 0 = no limit");
}

}  // namespace ke
