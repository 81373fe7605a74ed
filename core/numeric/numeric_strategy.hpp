#pragma once
// The table of numeric strategies: values of `strategy.kind` beside the kernel strategies.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/numeric/strategy_emitter.hpp"
#include "core/params.hpp"
#include "core/registry.hpp"

namespace ke {

/// The parsed options of a strategy.
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

/// Reads `iterations` and `start`, the options of all numeric strategies.
NumericStrategy read_numeric_strategy(Params& params);

/// A factory of `count` emitters, each created by `make`.
std::function<std::vector<std::unique_ptr<Emitter>>(const SearchSpace&)> several(
    std::int64_t count, std::function<std::unique_ptr<Emitter>(const SearchSpace&)> make);

/// Defaults that differ between CMA-ME and CMA-MAE.
struct CmaDefaults {
  const char* ranking;
  const char* selection;
  const char* restart;
};
/// Reads the options of a CMA-ES strategy.
NumericStrategy read_cma_strategy(Params& params, const CmaDefaults& defaults);

}  // namespace ke
