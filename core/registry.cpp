#include "core/registry.hpp"

namespace ke {
namespace {

#define KE_STRATEGY(name, doc) {#name, doc, &make_##name##_strategy},
constexpr Component<StrategyFactory> strategy_table[] = {
#include "core/strategies/strategies.def"
};
#undef KE_STRATEGY

}  // namespace

std::span<const Component<StrategyFactory>> strategies() { return strategy_table; }

}  // namespace ke
