#include <fmt/format.h>

#include "experiments/read_experiment.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

double default_weight(std::string_view name) {
  if (name == "knob_step") return 4;
  if (name == "knob_crossover") return 2;
  return name == "flag_step" || name == "random_restart" ? 1 : 0;
}

}  // namespace

void read_strategy(Params& top, Experiment& experiment) {
  Params section = top.section("strategy");
  experiment.strategy = section.choice("kind", "map_elites", component_names(strategies()),
                                       "policy of each island; see 'list strategies'");
  find_component(strategies(), experiment.strategy)->make(section);
}

void read_operators(Params& top, Experiment& experiment) {
  const bool given = top.has("operators");
  Params section = top.section("operators");
  for (const auto& row : operators()) {
    const double fallback = given ? 0 : default_weight(row.name);
    Params own = section.section(row.name);
    const double weight = own.real("weight", section.has(row.name) ? 1 : fallback, {0, 1e6},
                                   fmt::format("how often it is drawn: {}", row.doc));
    row.make(own);
    if (weight > 0) experiment.operators.push_back({std::string(row.name), weight});
  }
  if (experiment.operators.empty()) top.fail("operators", "has no operator with a weight above 0");
}

}  // namespace ke
