#pragma once
// Tables of components: one line in a .def file beside the component registers it everywhere.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/params.hpp"
#include "core/strategy.hpp"

namespace ke {

/// One row of a table of components.
template <typename Factory>
struct Component {
  std::string_view name;
  std::string_view doc;
  Factory make;
};

using StrategyFactory = std::unique_ptr<Strategy> (*)(Params&);
/// The islands that send migrants to `island` among `count` islands; ascending, never itself.
using Topology = std::vector<std::int64_t> (*)(std::int64_t island, std::int64_t count);

/// All strategies and topologies, sorted by name; `make` of a topology is the topology itself.
std::span<const Component<StrategyFactory>> strategies();
std::span<const Component<Topology>> topologies();

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

}  // namespace ke
