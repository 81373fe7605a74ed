#include "experiments/run/config/components.hpp"

#include <fmt/format.h>

#include "archive/archives.hpp"
#include "core/numeric/numeric_strategy.hpp"
#include "core/registry.hpp"
#include "core/strategies/operator_choice.hpp"
#include "experiments/run/config/read_experiment.hpp"
#include "experiments/run/evaluators/evaluator_kind.hpp"
#include "operators/llm/providers/registry.hpp"
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

namespace {

/// Makes the component once with default options, to learn which options it declares.
template <typename Make>
std::vector<Option> declared(std::string path, const Make& make) {
  ParamLog log;
  Params params(nullptr, std::move(path), log);
  make(params);
  return log.options;
}

template <typename Factory>
void append(std::string_view kind, std::string_view section,
            std::span<const Component<Factory>> table, std::vector<ComponentInfo>& list) {
  for (const auto& row : table) {
    std::string path(section);
    if (kind == "operator") path += "." + std::string(row.name);
    list.push_back({std::string(kind), std::string(row.name), std::string(row.doc),
                    declared(std::move(path), [&](Params& params) { row.make(params); })});
  }
}

}  // namespace

std::vector<ComponentInfo> all_components() {
  std::vector<ComponentInfo> list;
  append("operator", "operators", operators(), list);
  append("strategy", "strategy", strategies(), list);
  append("strategy", "strategy", numeric_strategies(), list);
  for (const auto& row : llm_providers()) {
    list.push_back({"provider", std::string(row.name), std::string(row.doc),
                    declared("llm", [&](Params& params) { row.make(params, {}); })});
  }
  for (const auto& row : topologies()) {
    list.push_back({"topology", std::string(row.name), std::string(row.doc), {}});
  }
  for (const auto& row : archive_kinds()) {
    list.push_back({"archive", std::string(row.name), std::string(row.doc),
                    declared("archive", [&](Params& params) { row.make(params, {}); })});
  }
  for (const auto& row : evaluator_kinds()) {
    list.push_back({"evaluator", std::string(row.name), std::string(row.doc),
                    declared("device", [&](Params& params) { row.make()->declare(params); })});
  }
  return list;
}

}  // namespace ke
