#include <fmt/format.h>

#include "core/numeric/numeric_strategy.hpp"
#include "core/strategies/operator_choice.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "operators/registry.hpp"

namespace ke {
namespace {

double default_weight(std::string_view name) {
  if (name == "knob_step") return 4;
  if (name == "knob_crossover") return 2;
  return name == "flag_step" || name == "random_restart" ? 1 : 0;
}

}  // namespace

std::string read_strategy_section(Params& section) {
  // Includes numeric strategies, so that a misspelt one is suggested; a correct one never reaches
  // this.
  std::vector<std::string> names = component_names(strategies());
  for (const auto& row : numeric_strategies()) names.emplace_back(row.name);
  std::string kind =
      section.choice("kind", "map_elites", names, "policy of each island; see 'list strategies'");
  find_component(strategies(), kind)->make(section);
  return kind;
}

void read_strategy(Params& top, Experiment& experiment) {
  Params section = top.section("strategy");
  experiment.strategy = read_strategy_section(section);
}

std::vector<OperatorWeight> read_operator_section(Params& section, bool given) {
  std::vector<OperatorWeight> list;
  for (const auto& row : operators()) {
    const double fallback = given ? 0 : default_weight(row.name);
    Params own = section.section(row.name);
    const double weight =
        own.added("0").real("weight", section.has(row.name) ? 1 : fallback, {0, 1e6},
                            fmt::format("how often it is drawn: {}", row.doc));
    if (weight > 0) {
      row.make(own);
      list.push_back({std::string(row.name), weight});
    } else {
      own.skip();  // disabled operators may be incomplete and do not belong to the identity
    }
  }
  Params selection = section.section("selection");
  read_operator_choice(selection);
  read_skip_idle(selection);
  if (list.empty()) section.fail("", "has no operator with a weight above 0");
  return list;
}

void read_operators(Params& top, Experiment& experiment) {
  Params section = top.section("operators");
  experiment.operators = read_operator_section(section, top.has("operators"));
}

}  // namespace ke
