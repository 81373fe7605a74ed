#include "core/registry.hpp"

namespace ke {
namespace {

#define KE_STRATEGY(name, doc) {#name, doc, &make_##name##_strategy},
constexpr Component<StrategyFactory> strategy_table[] = {
#include "core/strategies/strategies.def"
};
#undef KE_STRATEGY

#define KE_TOPOLOGY(name, doc) {#name, doc, &make_##name##_topology},
constexpr Component<TopologyFactory> topology_table[] = {
#include "core/topologies/topologies.def"
};
#undef KE_TOPOLOGY

}  // namespace

std::span<const Component<StrategyFactory>> strategies() { return strategy_table; }
std::span<const Component<TopologyFactory>> topologies() { return topology_table; }

}  // namespace ke
