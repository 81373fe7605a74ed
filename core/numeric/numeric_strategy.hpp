#pragma once
// The table of numeric strategies: what `strategy.kind` may name beside the strategies of kernels.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/numeric/strategy_emitter.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

/// What a strategy's options come to.
struct NumericStrategy {
  std::int64_t iterations = 0;
  double start = 0;  ///< every coordinate of the first parent or mean
  std::optional<SoftRule> soft;
  std::function<std::vector<std::unique_ptr<Emitter>>(const SearchSpace&)> emitters;
};

using NumericStrategyFactory = NumericStrategy (*)(Params&);

/// All numeric strategies, sorted by name.
std::span<const Component<NumericStrategyFactory>> numeric_strategies();

#define KE_NUMERIC(name, doc) NumericStrategy make_##name##_numeric_strategy(Params& params);
#include "core/numeric/strategies/numeric_strategies.def"
#undef KE_NUMERIC

/// Reads `iterations` and `start`, which all have.
NumericStrategy read_numeric_strategy(Params& params);

/// `count` emitters that `make` makes.
std::function<std::vector<std::unique_ptr<Emitter>>(const SearchSpace&)> several(
    std::int64_t count, std::function<std::unique_ptr<Emitter>(const SearchSpace&)> make);

/// What distinguishes CMA-ME from CMA-MAE.
struct CmaDefaults {
  const char* ranking;
  const char* selection;
  const char* restart;
};
/// Reads the options of a strategy of CMA-ES emitters.
NumericStrategy read_cma_strategy(Params& params, const CmaDefaults& defaults);

}  // namespace ke
