#pragma once
// Tables of components: one line in a .def file beside the component registers it everywhere.

#include <memory>
#include <span>
#include <string_view>

#include "core/params.hpp"
#include "core/strategy.hpp"
#include "core/topology.hpp"

namespace ke {

/// One row of a table of components.
template <typename Factory>
struct Component {
  std::string_view name;
  std::string_view doc;
  Factory make;
};

using StrategyFactory = std::unique_ptr<Strategy> (*)(Params&);
using TopologyFactory = std::unique_ptr<Topology> (*)();

/// All strategies and topologies, sorted by name.
std::span<const Component<StrategyFactory>> strategies();
std::span<const Component<TopologyFactory>> topologies();

/// Finds a row by name; null if unknown.
template <typename Factory>
const Component<Factory>* find_component(std::span<const Component<Factory>> table,
                                         std::string_view name) {
  for (const auto& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// Names in a table, for choices and messages.
template <typename Factory>
std::vector<std::string> component_names(std::span<const Component<Factory>> table) {
  std::vector<std::string> names;
  for (const auto& row : table) names.emplace_back(row.name);
  return names;
}

#define KE_STRATEGY(name, doc) std::unique_ptr<Strategy> make_##name##_strategy(Params& params);
#include "core/strategies/strategies.def"
#undef KE_STRATEGY
#define KE_TOPOLOGY(name, doc) std::unique_ptr<Topology> make_##name##_topology();
#include "core/topologies/topologies.def"
#undef KE_TOPOLOGY

}  // namespace ke
